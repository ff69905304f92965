import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Project, ProjectChanges, ProjectCreate } from "../types/projects.ts";

export function projectRoutes(send: Send) {
  return {
    listProjects: (query: { include_archived?: boolean } = {}, call?: CallOptions) =>
      send<Project[]>("GET", "/projects", { ...call, query }),
    getProject: (slug: string, call?: CallOptions) => send<Project>("GET", pathOf`/projects/${slug}`, call),
    createProject: (body: ProjectCreate, call?: CallOptions) => send<Project>("POST", "/projects", { ...call, body }),
    changeProject: (slug: string, body: ProjectChanges, call?: CallOptions) =>
      send<Project>("PATCH", pathOf`/projects/${slug}`, { ...call, body }),
    archiveProject: (slug: string, call?: CallOptions) => send<void>("DELETE", pathOf`/projects/${slug}`, call),
  };
}
