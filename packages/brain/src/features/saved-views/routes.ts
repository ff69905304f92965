import { Type } from "typebox";
import type { Actor } from "../../platform/http/access/actor.ts";
import { operation, type Routes } from "../../platform/http/app.ts";
import type { SavedViews } from "./saved-views.ts";
import { SavedView, SavedViewBody, SavedViewList, SavedViewParams } from "./schemas.ts";

export const savedViewRoutes: Routes<{ savedViews: SavedViews }> = (app, { savedViews }) => {
  operation(app, "GET /projects/:slug/saved-views", {
    operationId: "listSavedViews",
    summary: "List your saved views",
    description: "Lists your saved views of the task list in this project, by name.",
    response: { 200: SavedViewList },
    policy: { tag: "saved-views", role: "viewer" },
    handler: async (request) => ({ items: await savedViews.list(ownerOf(request)) }),
  });

  operation(app, "POST /projects/:slug/saved-views", {
    operationId: "createSavedView",
    summary: "Create a saved view",
    description: "Saves filters of the task list under a name. Only you can see it.",
    answers: { 409: "You already have a view with this name (`name_in_use`), or 100 views (`too_many_views`)." },
    body: SavedViewBody,
    response: { 201: SavedView },
    policy: { tag: "saved-views", role: "viewer" },
    handler: (request) => savedViews.create(ownerOf(request), request.body),
  });

  operation(app, "PUT /projects/:slug/saved-views/:view_id", {
    operationId: "replaceSavedView",
    summary: "Replace a saved view",
    description: "Replaces the name and the filters of a saved view.",
    answers: { 409: "You have another view with this name (`name_in_use`)." },
    params: SavedViewParams,
    body: SavedViewBody,
    response: { 200: SavedView },
    policy: { tag: "saved-views", role: "viewer" },
    handler: (request) => savedViews.replace(ownerOf(request), request.params.view_id, request.body),
  });

  operation(app, "DELETE /projects/:slug/saved-views/:view_id", {
    operationId: "deleteSavedView",
    summary: "Delete a saved view",
    description: "Deletes one of your saved views.",
    params: SavedViewParams,
    response: { 204: Type.Null() },
    policy: { tag: "saved-views", role: "viewer" },
    handler: (request) => savedViews.remove(ownerOf(request), request.params.view_id),
  });
};

/** An API key uses the views of its owner. */
const ownerOf = ({ actor, project }: { actor: Actor; project: { id: string } }) => ({
  userId: actor.user.id,
  projectId: project.id,
});
