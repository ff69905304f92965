import type { Worker } from "@svc/client";
import type { Capability } from "../requests/able.ts";

export type ControlledWorker = Pick<Worker, "name" | "engine" | "queues" | "concurrency">;

/** What can be done with a worker, and which capability its agent needs for that. */
export const workerActs = [
  { act: "restart", words: "Restart", capability: "restart_worker" },
  { act: "pool", words: "Resize pool", capability: "pool_grow" },
  { act: "add", words: "Add consumer", capability: "add_consumer" },
  { act: "cancel", words: "Cancel consumer", capability: "cancel_consumer" },
  { act: "rate", words: "Limit rate", capability: "rate_limit_of_worker" },
] as const satisfies readonly { act: string; words: string; capability: Capability }[];
export type WorkerAct = (typeof workerActs)[number]["act"];
