import { Type } from "typebox";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import type { Projects } from "./projects.ts";
import { CreateBody, ListQuery, Project, ProjectList, UpdateBody } from "./schemas.ts";

export const projectRoutes: Routes<{ projects: Projects }> = (app, { projects }) => {
  app.get(
    "/projects",
    { schema: { querystring: ListQuery, response: { 200: ProjectList } }, config: { tag: "projects" } },
    (request) => projects.list(request.actor, { includeArchived: request.query.include_archived }),
  );

  app.post(
    "/projects",
    { schema: { body: CreateBody, response: { 201: Project } }, config: { tag: "projects", globalAdmin: true } },
    async (request, reply) => {
      const { actor, body } = request;
      const project = await projects.create({ body, creatorId: actor.user.id, origin: originOf(request, actor) });
      return reply.code(201).send(project);
    },
  );

  app.get(
    "/projects/:slug",
    { schema: { params: ProjectParams, response: { 200: Project } }, config: { tag: "projects", role: "viewer" } },
    (request) => projects.get(request.project.id),
  );

  app.patch(
    "/projects/:slug",
    {
      schema: { params: ProjectParams, body: UpdateBody, response: { 200: Project } },
      // An archived project takes this one route, to be restored; the decision refuses other changes to it.
      config: { tag: "projects", role: "admin", archivedOk: true },
    },
    (request) =>
      projects.update({
        projectId: request.project.id,
        body: request.body,
        origin: originOf(request, request.actor),
      }),
  );

  app.delete(
    "/projects/:slug",
    {
      schema: { params: ProjectParams, response: { 204: Type.Null() } },
      config: { tag: "projects", role: "admin", freshMfa: true },
    },
    async (request, reply) => {
      await projects.archive({ projectId: request.project.id, origin: originOf(request, request.actor) });
      return reply.code(204).send(null);
    },
  );
};
