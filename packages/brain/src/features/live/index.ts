export { createLive, type Live, type LiveDeps } from "./live.ts";
export type { TopicReader } from "./read-news.ts";
export { liveRoutes } from "./routes.ts";
