import type { Agent } from "@svc/client";
import { printable } from "../../ui/format.ts";

/** An empty inventory means "not reported", never "none". */
export function enginesOf(agent: Agent): string {
  return agent.engine_adapters.length > 0 ? agent.engine_adapters.map(printable).join(", ") : "not reported";
}

export function transportOf(agent: Agent): string {
  if (agent.transport === "ws") return "WebSocket";
  if (agent.transport === "longpoll") return "long-poll";
  return "not reported";
}
