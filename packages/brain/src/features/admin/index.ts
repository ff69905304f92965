export { adminRoutes } from "./routes.ts";
export { adminSettings } from "./settings.ts";
export { createVersions } from "./versions.ts";
