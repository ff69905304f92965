import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { SavedView, SavedViewBody } from "../types/saved-views.ts";

export function savedViewRoutes(send: Send) {
  return {
    /** All of the caller's views in the project, by name; at most 100. */
    listSavedViews: (slug: string, call?: CallOptions) =>
      send<{ items: SavedView[] }>("GET", pathOf`/projects/${slug}/saved-views`, call),
    createSavedView: (slug: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("POST", pathOf`/projects/${slug}/saved-views`, { ...call, body }),
    replaceSavedView: (slug: string, viewId: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("PUT", pathOf`/projects/${slug}/saved-views/${viewId}`, { ...call, body }),
    deleteSavedView: (slug: string, viewId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/saved-views/${viewId}`, call),
  };
}
