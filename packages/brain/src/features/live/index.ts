export type { TopicReader } from "./hub.ts";
export { createLive, type Live } from "./live.ts";
export { liveRoutes } from "./routes.ts";
export type { Change, Topic } from "./topics.ts";
