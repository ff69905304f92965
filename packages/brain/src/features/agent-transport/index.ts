export { createAgentTransport, maxFrameBytes } from "./compose.ts";
export { gatewayRoutes, longpollRoutes } from "./routes.ts";
export { agentTransportSettings } from "./settings.ts";
export { offerWaiting } from "./loops.ts";
