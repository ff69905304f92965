export type {
  AdapterContext,
  AdapterSnapshot,
  AgentLog,
  CursorStore,
  CursorUpdate,
  EngineAdapter,
  EventSink,
  QueueHold,
  WorkerDetails,
} from "./adapter.ts";
export { type Agent, type AgentReport, startAgent } from "./agent.ts";
export type { Command, CommandExecutor, CommandOutcome } from "./commands/command.ts";
export { agentOptionsFromEnv, type EnvironmentOptions } from "./options/environment.ts";
export { type AgentOptions, AgentOptionsError } from "./options/options.ts";
export { type Clock, systemClock } from "./runtime/clock.ts";
export { createLocalPositions } from "./schedules/local-positions.ts";
export { ScheduleMirror } from "./schedules/schedule-mirror.ts";
export type * from "./schedules/scheduler-adapter.ts";
export { agentVersion } from "./version.ts";
