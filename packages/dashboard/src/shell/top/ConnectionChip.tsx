import { type Facts, lastContactAt, type Mode } from "../../live/connection.ts";
import { connection, useConnection } from "../../live/live.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, menuItem, menuLabel, menuRule } from "../../ui/layers/Layers.tsx";
import { age } from "../../ui/time/format.ts";
import css from "./top.module.css";

/** How fresh the page's data is, from the stream's last message and the last answered read. */
export function ConnectionChip() {
  const { mode, now, facts } = useConnection();

  return (
    <>
      <Menu
        label="Connection"
        place={css.under}
        buttonClass={css.connb}
        button={
          <span className={css.conn} data-mode={mode}>
            <span className={css.dot} />
            <span>
              <span className="vh">Connection: </span>
              {chipText(mode, facts, now)}
            </span>
          </span>
        }
      >
        <p className={menuLabel}>{explain(mode)}</p>
        <dl className={css.facts}>
          <div>
            <dt>Last event</dt>
            <dd>{ago(facts.lastMessageAt, now)}</dd>
          </div>
          <div>
            <dt>Last response</dt>
            <dd>{ago(facts.lastAnswerAt, now)}</dd>
          </div>
          <div>
            <dt>Transport</dt>
            <dd>{transport(facts)}</dd>
          </div>
        </dl>
        <hr className={menuRule} />
        <button type="button" data-entry="" className={menuItem} onClick={() => connection.setPaused(!facts.isPaused)}>
          <Icon name={facts.isPaused ? "play" : "pause"} />
          {facts.isPaused ? "Resume updates" : "Pause updates"}
          <kbd>Shift L</kbd>
        </button>
        {facts.retryAt === null ? null : (
          <button type="button" data-entry="" className={menuItem} onClick={() => connection.retryNow()}>
            <Icon name="retry" />
            Connect now
          </button>
        )}
      </Menu>
      <span className="vh" role="status">
        {`Connection: ${mode}`}
      </span>
    </>
  );
}

function ago(at: number | null, now: number): string {
  return at === null ? "none yet" : `${age(now - at)} ago`;
}

function transport(facts: Facts): string {
  if (facts.isPaused) return "none, paused";
  return facts.isReady ? "WebSocket" : `polling every ${facts.pollMs / 1000} s`;
}

function chipText(mode: Mode, facts: Facts, now: number): string {
  switch (mode) {
    case "polling":
      return `polling ${facts.pollMs / 1000} s`;
    case "stale":
      return `stale ${age(now - (lastContactAt(facts) ?? now))}`;
    case "offline":
      return facts.retryAt === null ? "offline" : `offline, retrying in ${age(facts.retryAt - now)}`;
    default:
      return mode;
  }
}

function explain(mode: Mode): string {
  switch (mode) {
    case "live":
      return "Changes are pushed over a WebSocket as they happen.";
    case "polling":
      return "No push connection. The page polls, so it may be a few seconds behind.";
    case "stale":
      return "No updates for longer than expected. The data may be out of date.";
    case "offline":
      return "Can't reach the server.";
    case "paused":
      return "Paused: the page doesn't change until you resume updates.";
    default:
      return "Connecting…";
  }
}
