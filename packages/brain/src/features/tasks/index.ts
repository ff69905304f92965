export { withLineage } from "./list.ts";
export { tasksById } from "./reads.ts";
export { taskRoutes } from "./routes.ts";
export { taskSettings } from "./settings.ts";
