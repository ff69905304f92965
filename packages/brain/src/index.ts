export type { Brain } from "./app/brain.ts";
export { type RunningBrain, type Siblings, type StartOptions, startBrain } from "./app/main.ts";
export { type BrainSettings, loadBrainSettings } from "./app/settings/settings.ts";
export { ListenRefused } from "./features/scheduler-grpc/index.ts";
export type { Figures } from "./platform/metrics.ts";
export { SettingsError } from "./platform/settings.ts";
