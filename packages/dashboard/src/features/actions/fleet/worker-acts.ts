import type { Worker } from "@svc/client";
import type { Capability } from "../requests/eligible-agents.ts";

export type ControlledWorker = Pick<Worker, "name" | "engine" | "queues" | "concurrency">;

/** The actions on a worker, and the capability that each needs. */
export const workerActs = [
  { act: "restart", label: "Restart", capability: "restart_worker" },
  { act: "pool", label: "Resize pool", capability: "pool_grow" },
  { act: "add", label: "Add consumer", capability: "add_consumer" },
  { act: "cancel", label: "Cancel consumer", capability: "cancel_consumer" },
  { act: "rate", label: "Limit rate", capability: "rate_limit_of_worker" },
] as const satisfies readonly { act: string; label: string; capability: Capability }[];
export type WorkerAct = (typeof workerActs)[number]["act"];
