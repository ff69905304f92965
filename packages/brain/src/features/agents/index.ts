export { type Agents, type AgentsDeps, createAgents, type RevokedAgent } from "./agents.ts";
export { sweepOfflineAgents, sweepStaleAgents } from "./loops.ts";
export type { AgentIdentity } from "./reads.ts";
export { agentRoutes } from "./routes.ts";
export { Agent as AgentSchema } from "./schemas.ts";
export { agentSettings } from "./settings.ts";
