export { Agents } from "./agents.ts";
export { type AgentWithSessions, agentsOnlineWith, findAgent, isAnyOnline } from "./capabilities/capability-reads.ts";
export { eligibleAgents } from "./capabilities/eligible.ts";
export type { CommandNeeds, Obstacle, SessionReach } from "./capabilities/verdict.ts";
export {
  contractActions,
  fitnessOf,
  nearestOf,
  obstacleOf,
  reachOf,
  reportedCapabilities,
} from "./capabilities/verdict.ts";
export { pruneSamples, sweepOfflineAgents, sweepStaleAgents } from "./loops.ts";
export { type AgentContact, type AgentIdentity, listContacts } from "./reads.ts";
export { agentRoutes } from "./routes.ts";
export { agentSettings } from "./settings.ts";
export type { AdmissionStatus } from "./tokens/identity.ts";
export { versionStatus } from "./version-status.ts";
