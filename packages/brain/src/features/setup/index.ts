export { pruneSetupTokens } from "./loops.ts";
export { UnknownMaster } from "./masters.ts";
export { setupPageRoutes } from "./page-routes.ts";
export { setupRoutes } from "./routes.ts";
export { setupSettings } from "./settings.ts";
export { createSetup } from "./setup.ts";
