export { createLive, type Live, type LiveDeps } from "./live.ts";
export type { TopicReader } from "./read-changes.ts";
export { liveRoutes } from "./routes.ts";
