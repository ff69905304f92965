import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  HomeSummary,
  ListProjectsQuery,
  ListRecentFailuresQuery,
  Project,
  ProjectChanges,
  ProjectCreate,
  RecentFailurePage,
  SavedView,
  SavedViewBody,
  SavedViewPage,
} from "../types/api.generated.ts";

export function projectRoutes(send: Send) {
  return {
    listProjects: (query: ListProjectsQuery = {}, call?: CallOptions) =>
      send<Project[]>("GET", "/projects", { ...call, query: { ...query } }),
    getProject: (slug: string, call?: CallOptions) => send<Project>("GET", pathOf`/projects/${slug}`, call),
    createProject: (body: ProjectCreate, call?: CallOptions) => send<Project>("POST", "/projects", { ...call, body }),
    changeProject: (slug: string, body: ProjectChanges, call?: CallOptions) =>
      send<Project>("PATCH", pathOf`/projects/${slug}`, { ...call, body }),
    archiveProject: (slug: string, call?: CallOptions) => send<void>("DELETE", pathOf`/projects/${slug}`, call),
  };
}

export function savedViewRoutes(send: Send) {
  return {
    /** All of the caller's views in the project, by name; at most 100. */
    listSavedViews: (slug: string, call?: CallOptions) =>
      send<SavedViewPage>("GET", pathOf`/projects/${slug}/saved-views`, call),
    createSavedView: (slug: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("POST", pathOf`/projects/${slug}/saved-views`, { ...call, body }),
    replaceSavedView: (slug: string, viewId: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("PUT", pathOf`/projects/${slug}/saved-views/${viewId}`, { ...call, body }),
    deleteSavedView: (slug: string, viewId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/saved-views/${viewId}`, call),
  };
}

export function homeRoutes(send: Send) {
  return {
    getHomeSummary: (call?: CallOptions) => send<HomeSummary>("GET", "/home/summary", call),
    listRecentFailures: (query: ListRecentFailuresQuery = {}, call?: CallOptions) =>
      send<RecentFailurePage>("GET", "/home/recent-failures", { ...call, query: { ...query } }),
  };
}
