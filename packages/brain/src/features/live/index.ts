export type { TopicReader } from "./hub.ts";
export { createLive, type Live, type LiveDeps } from "./live.ts";
export { liveRoutes } from "./routes.ts";
export type { Change, Topic } from "./topics.ts";
