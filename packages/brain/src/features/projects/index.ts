export type { ProjectLabels } from "./labels.ts";
export { createProjects, type Projects } from "./projects.ts";
export { projectRoutes } from "./routes.ts";
export { projectSettings } from "./settings.ts";
