export { setupPageRoutes } from "./page-routes.ts";
export { setupRoutes } from "./routes.ts";
export { setupSettings } from "./settings.ts";
export { createSetup, type Setup, type SetupDeps } from "./setup.ts";
