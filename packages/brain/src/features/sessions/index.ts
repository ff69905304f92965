export type { IssuedSession } from "./issue-session.ts";
export { sendSessionCookies } from "./issue-session.ts";
export { pruneSessions } from "./loops.ts";
export { sessionRoutes } from "./routes.ts";
export { type EndedSessions, Sessions } from "./sessions.ts";
export { sessionSettings } from "./settings.ts";
