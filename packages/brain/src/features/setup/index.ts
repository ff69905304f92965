export { type AdminMade, type AdminPlan, createAdminRescue } from "./admin-rescue.ts";
export { pruneSetupTokens } from "./loops.ts";
export { bindMasters, masterFit, UnknownMaster } from "./masters.ts";
export { setupPageRoutes } from "./page/routes.ts";
export { setupRoutes } from "./routes.ts";
export { setupSettings } from "./settings.ts";
export { createSetup, type Setup } from "./setup.ts";
