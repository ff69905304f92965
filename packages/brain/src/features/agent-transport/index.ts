export { AgentTransport, maxFrameBytes } from "./agent-transport.ts";
export { offerWaiting } from "./loops.ts";
export { gatewayRoutes, longpollRoutes } from "./routes.ts";
export { agentTransportSettings } from "./settings.ts";
