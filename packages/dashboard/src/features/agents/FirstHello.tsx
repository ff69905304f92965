import type { Agent } from "@svc/client";
import { useEffect, useState } from "react";
import { age, printable } from "../../ui/format.ts";
import { Glyph } from "../../ui/Icon.tsx";
import { useNow } from "../../ui/ticker.ts";
import css from "./agents.module.css";

/** "Waiting for first hello", until the agent is online. `agent` is its row in the live list. */
export function FirstHello({ agent }: { agent: Pick<Agent, "name" | "state" | "host_name"> }) {
  const [since] = useState(Date.now);
  const now = useNow();
  const isConnected = agent.state === "online";
  const [tookMs, setTookMs] = useState<number | null>(null);
  useEffect(() => {
    if (isConnected) setTookMs((old) => old ?? Date.now() - since);
  }, [isConnected, since]);

  return (
    <p className={css.hello} data-state={isConnected ? "success" : "started"} role="status">
      <Glyph name={isConnected ? "success" : "started"} />
      {isConnected ? (
        <span>
          <b>{printable(agent.name)}</b> is connected{agent.host_name ? ` from ${printable(agent.host_name)}` : ""}
          {tookMs !== null && tookMs > 2000 ? `, after ${age(tookMs)}` : ""}.
        </span>
      ) : (
        <span>
          Waiting for the first hello of <b>{printable(agent.name)}</b>. The server has listened for{" "}
          <span aria-hidden="true">{age(now - since)}</span>
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
