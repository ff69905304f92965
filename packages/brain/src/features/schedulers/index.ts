export { schedulerRoutes } from "./routes.ts";
export { createSchedulers, type Schedulers } from "./schedulers.ts";
export { schedulersSettings } from "./settings.ts";
