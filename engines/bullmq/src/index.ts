export { createBullmqAdapter } from "./adapter.ts";
export { type AttachOptions, attachBullmq } from "./attach.ts";
export { type ControlOptions, controlBullmqWorkers } from "./control/process-control.ts";
export type { AttachedWorker, WorkerPlan } from "./control/workers.ts";
export { retriedFromOption } from "./jobs/job-hash.ts";
export {
  type BullmqOptions,
  checkBullmqOptions,
  defaultPriorityTable,
  defaultStreamCap,
  type Priority,
  type PriorityTable,
  type StreamCap,
} from "./options.ts";
