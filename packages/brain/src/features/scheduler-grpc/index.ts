export { type MintedCertificate, MintRefused, maxValidityDays, mintCertificate } from "./certificates/mint.ts";
export type { StartEmbedded } from "./embedded/embedded-scheduler.ts";
export { checkEmbeddedScheduler, embeddedSchedulerSettings } from "./embedded/settings.ts";
export { ListenRefused } from "./listener.ts";
export { pollScheduleChanges, reloadSchedulerCertificates, renewEmbeddedCertificates } from "./loops.ts";
export { createSchedulerServices } from "./scheduler-services.ts";
export { checkSchedulerGrpc, schedulerGrpcSettings } from "./settings.ts";
