export { type Agents, createAgents } from "./agents.ts";
export { abilitiesOf } from "./capabilities/reported.ts";
export { pruneSamples, sweepOfflineAgents, sweepStaleAgents } from "./loops.ts";
export { type AgentContact, type AgentIdentity, listContacts } from "./reads.ts";
export { agentRoutes } from "./routes.ts";
export { agentSettings } from "./settings.ts";
export type { AdmissionStatus } from "./tokens/identity.ts";
export { versionStatus } from "./version-status.ts";
