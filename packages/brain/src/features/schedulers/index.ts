export { schedulerRoutes } from "./routes.ts";
export { createSchedulers } from "./schedulers.ts";
export { schedulersSettings } from "./settings.ts";
