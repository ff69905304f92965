export { createAgentTransport, maxFrameBytes } from "./compose.ts";
export { offerWaiting } from "./loops.ts";
export { gatewayRoutes, longpollRoutes } from "./routes.ts";
export { agentTransportSettings } from "./settings.ts";
