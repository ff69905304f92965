import type { Agent } from "@svc/client";
import { useEffect, useState } from "react";
import { Glyph } from "../../../ui/Icon.tsx";
import { age, printable } from "../../../ui/time/format.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import css from "../agents.module.css";

type Greeted = Pick<Agent, "name" | "state" | "host_name" | "created_at" | "last_seen_at">;

/** "Waiting for first hello", until the agent is online. `agent` is its row in the live list. */
export function FirstHello({ agent }: { agent: Greeted }) {
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
          Waiting for the first hello of <b>{printable(agent.name)}</b>. The server has listened for{" "}
          <span aria-hidden="true">{age(Math.max(0, now - sinceMs))}</span>
          <span className="vh">a while</span>.
        </span>
      )}
    </p>
  );
}

/** What to look at when the hello does not come. */
export function NothingArrives() {
  return (
    <details className={css.help}>
      <summary>Nothing arrives</summary>
      <ul>
        <li>
          From that host, <code>curl -sS {location.origin}/api/v1/health</code> must print <code>"status":"ok"</code>.
        </li>
        <li>A 401 in the agent's log means the token or the secret of another agent, or a revoked one.</li>
        <li>A clock that is off by more than a minute gets every frame refused. Set the clock.</li>
      </ul>
    </details>
  );
}
