export { createProjects, type ProjectNews, type Projects, type ProjectsDeps } from "./projects.ts";
export { projectRoutes } from "./routes.ts";
export { Project as ProjectSchema } from "./schemas.ts";
export { projectSettings } from "./settings.ts";
