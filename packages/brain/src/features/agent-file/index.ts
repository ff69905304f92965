export { createAgentFile } from "./agent-file.ts";
export { agentFileRoutes } from "./routes.ts";
