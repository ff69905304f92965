export { createLive, type Live, type LiveDeps } from "./live.ts";
export { liveRoutes } from "./routes.ts";
