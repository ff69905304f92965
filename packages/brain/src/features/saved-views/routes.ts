import { Type } from "typebox";
import type { Actor } from "../../platform/http/access/actor.ts";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import type { SavedViews } from "./saved-views.ts";
import { SavedView, SavedViewBody, SavedViewList, SavedViewParams } from "./schemas.ts";

export const savedViewRoutes: Routes<{ savedViews: SavedViews }> = (app, { savedViews }) => {
  app.get(
    "/projects/:slug/saved-views",
    {
      schema: {
        operationId: "listSavedViews",
        summary: "List your saved views",
        description: "Lists your saved views of the task list in this project, by name.",
        params: ProjectParams,
        response: { 200: SavedViewList },
      },
      config: { tag: "saved-views", role: "viewer" },
    },
    async (request) => ({ items: await savedViews.list(ownerOf(request)) }),
  );

  app.post(
    "/projects/:slug/saved-views",
    {
      schema: {
        operationId: "createSavedView",
        summary: "Create a saved view",
        description: "Saves filters of the task list under a name. Only you see it.",
        answers: { 409: "You have a view of this name (`name_in_use`), or 100 views already (`too_many_views`)." },
        params: ProjectParams,
        body: SavedViewBody,
        response: { 201: SavedView },
      },
      config: { tag: "saved-views", role: "viewer" },
    },
    async (request, reply) => reply.code(201).send(await savedViews.create(ownerOf(request), request.body)),
  );

  app.put(
    "/projects/:slug/saved-views/:view_id",
    {
      schema: {
        operationId: "replaceSavedView",
        summary: "Replace a saved view",
        description: "Replaces the name and the filters of a saved view.",
        answers: { 409: "You have another view of this name (`name_in_use`)." },
        params: SavedViewParams,
        body: SavedViewBody,
        response: { 200: SavedView },
      },
      config: { tag: "saved-views", role: "viewer" },
    },
    (request) => savedViews.replace(ownerOf(request), request.params.view_id, request.body),
  );

  app.delete(
    "/projects/:slug/saved-views/:view_id",
    {
      schema: {
        operationId: "deleteSavedView",
        summary: "Delete a saved view",
        description: "Deletes one of your saved views.",
        params: SavedViewParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "saved-views", role: "viewer" },
    },
    async (request, reply) => {
      await savedViews.remove(ownerOf(request), request.params.view_id);
      return reply.code(204).send(null);
    },
  );
};

/** A key's views are those of its owner. */
const ownerOf = ({ actor, project }: { actor: Actor; project: { id: string } }) => ({
  userId: actor.user.id,
  projectId: project.id,
});
