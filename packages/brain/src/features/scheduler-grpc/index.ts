export { type MintedCertificate, MintRefused, maxValidityDays, mintCertificate } from "./certificates/mint.ts";
export {
  createEmbeddedScheduler,
  type EmbeddedConnection,
  type EmbeddedScheduler,
  type EmbeddedState,
  type RunningEmbedded,
  type StartEmbedded,
} from "./embedded/embedded-scheduler.ts";
export { checkEmbeddedScheduler, embeddedSchedulerSettings } from "./embedded/settings.ts";
export { ListenRefused } from "./listener.ts";
export { pollScheduleChanges, renewEmbeddedCertificates } from "./loops.ts";
export { createSchedulerGrpc, type SchedulerGrpc, type SchedulerGrpcDeps } from "./scheduler-grpc.ts";
export { checkSchedulerGrpc, schedulerGrpcSettings } from "./settings.ts";
