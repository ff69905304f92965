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
      schema: { params: ProjectParams, response: { 200: SavedViewList } },
      config: { tag: "saved-views", role: "viewer" },
    },
    async (request) => ({ items: await savedViews.list(ownerOf(request)) }),
  );

  app.post(
    "/projects/:slug/saved-views",
    {
      schema: { params: ProjectParams, body: SavedViewBody, response: { 201: SavedView } },
      config: { tag: "saved-views", role: "viewer" },
    },
    async (request, reply) => reply.code(201).send(await savedViews.create(ownerOf(request), request.body)),
  );

  app.put(
    "/projects/:slug/saved-views/:view_id",
    {
      schema: { params: SavedViewParams, body: SavedViewBody, response: { 200: SavedView } },
      config: { tag: "saved-views", role: "viewer" },
    },
    (request) => savedViews.replace(ownerOf(request), request.params.view_id, request.body),
  );

  app.delete(
    "/projects/:slug/saved-views/:view_id",
    {
      schema: { params: SavedViewParams, response: { 204: Type.Null() } },
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
