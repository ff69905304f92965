export { savedViewRoutes } from "./routes.ts";
export { createSavedViews } from "./saved-views.ts";
