export { type Client, createClient } from "./client.ts";
export { isExactNumber, parseExact } from "./exact-json.ts";
export { ApiProblem, isProblem } from "./problem.ts";
export type { Outcome, Reachability } from "./request.ts";
export type { AgentStatusSample, TelemetryLoss } from "./types/agents.ts";
export * from "./types/api.generated.ts";
export type * from "./types/hub.ts";
export type * from "./types/queries.ts";
export type { BulkRetryFilter } from "./types/queries.ts";
