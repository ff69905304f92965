export { abilitiesOf } from "./abilities.ts";
export { type Agents, createAgents } from "./agents.ts";
export type { Standing } from "./identity.ts";
export { pruneSamples, sweepOfflineAgents, sweepStaleAgents } from "./loops.ts";
export { type AgentContact, type AgentIdentity, listContacts } from "./reads.ts";
export { agentRoutes } from "./routes.ts";
export { agentSettings } from "./settings.ts";
export { versionStatus } from "./version-status.ts";
