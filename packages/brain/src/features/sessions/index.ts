export { sendSessionCookies } from "./cookie-values.ts";
export type { IssuedSession } from "./issue.ts";
export { pruneSessions } from "./loops.ts";
export { sessionRoutes } from "./routes.ts";
export { createSessions, type EndedSessions, type Sessions } from "./sessions.ts";
export { sessionSettings } from "./settings.ts";
