import type { Agent } from "@svc/client";
import { useEffect, useState } from "react";
import { Glyph } from "../../../ui/Icon.tsx";
import { age, printable } from "../../../ui/time/format.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import css from "../agents.module.css";

type Connecting = Pick<Agent, "name" | "state" | "host_name" | "created_at" | "last_seen_at">;

/** Whether the agent is connected. `agent` is its row in the live list. */
export function ConnectionState({ agent }: { agent: Connecting }) {
  const now = useNow();
  const sinceMs = Date.parse(agent.created_at);
  const isConnected = agent.state === "online";
  const wasSeen = isConnected || agent.last_seen_at !== null;
  const [isWatched] = useState(!wasSeen);
  const [tookMs, setTookMs] = useState<number | null>(null);
  useEffect(() => {
    if (isConnected && isWatched) setTookMs((old) => old ?? Date.now() - sinceMs);
  }, [isConnected, isWatched, sinceMs]);

  const glyph = isConnected ? "success" : wasSeen ? "failure" : "started";
  return (
    <p className={css.hello} data-state={glyph} role="status">
      <Glyph name={glyph} />
      {isConnected ? (
        <span>
          <b>{printable(agent.name)}</b> is connected{agent.host_name ? ` from ${printable(agent.host_name)}` : ""}
          {tookMs !== null && tookMs > 2000 ? `, after ${age(tookMs)}` : ""}.
        </span>
      ) : wasSeen ? (
        <span>
          <b>{printable(agent.name)}</b> was connected and is offline now.
        </span>
      ) : (
        <span>
          Waiting for <b>{printable(agent.name)}</b> to connect{" "}
          <span aria-hidden="true">({age(Math.max(0, now - sinceMs))})</span>
        </span>
      )}
    </p>
  );
}

/** Causes to check when an agent does not connect. */
export function NotConnecting() {
  return (
    <details className={css.help}>
      <summary>Not connecting?</summary>
      <ul>
        <li>
          Network: on that machine, <code>curl -sS {location.origin}/health</code> must print{" "}
          <code>{'{"status":"ok"}'}</code>.
        </li>
        <li>
          <code>code=401</code> or <code>code=4401</code> in the agent's log: the token is incorrect, or the agent was
          revoked. Create another agent.
        </li>
        <li>
          <code>code=4403</code>: the HMAC secret belongs to another project, the address isn't allowed, or the clock is
          off by more than a minute.
        </li>
        <li>
          <code>redis connection failed</code>: Redis can't be reached at this URL from that machine.
        </li>
      </ul>
    </details>
  );
}
