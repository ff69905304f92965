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
export { type Clock, systemClock } from "./clock.ts";
export type { Command, CommandExecutor, CommandOutcome } from "./commands/command.ts";
export { agentOptionsFromEnv, type EnvironmentOptions } from "./environment.ts";
export { type AgentOptions, AgentOptionsError } from "./options.ts";
export { agentVersion } from "./version.ts";
