import { Type } from "typebox";
import type { Routes } from "../../platform/http/app.ts";
import { ProjectParams } from "../../platform/http/schemas.ts";
import { originOf } from "../audit/index.ts";
import type { Projects } from "./projects.ts";
import { CreateBody, ListQuery, Project, ProjectList, UpdateBody } from "./schemas.ts";

export const projectRoutes: Routes<{ projects: Projects }> = (app, { projects }) => {
  app.get(
    "/projects",
    {
      schema: {
        operationId: "listProjects",
        summary: "List projects",
        description: "Lists the projects that you are a member of; a global administrator sees all.",
        querystring: ListQuery,
        response: { 200: ProjectList },
      },
      config: { tag: "projects" },
    },
    (request) => projects.list(request.actor, { includeArchived: request.query.include_archived }),
  );

  app.post(
    "/projects",
    {
      schema: {
        operationId: "createProject",
        summary: "Create a project",
        description: "Creates a project with you as its admin.",
        answers: {
          409: "The slug is in use (`slug_in_use`) or malformed (`slug_pattern`), or the scheduler settings contradict each other.",
        },
        body: CreateBody,
        response: { 201: Project },
      },
      config: { tag: "projects", globalAdmin: true },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const project = await projects.create({ body, creatorId: actor.user.id, origin: originOf(request, actor) });
      return reply.code(201).send(project);
    },
  );

  app.get(
    "/projects/:slug",
    {
      schema: {
        operationId: "getProject",
        summary: "Get a project",
        description: "Returns one project.",
        params: ProjectParams,
        response: { 200: Project },
      },
      config: { tag: "projects", role: "viewer" },
    },
    (request) => projects.get(request.project.id),
  );

  app.patch(
    "/projects/:slug",
    {
      schema: {
        operationId: "changeProject",
        summary: "Change a project",
        description: "Changes the given fields of the project. `is_active: true` restores an archived project.",
        answers: {
          409: "The slug is in use or malformed, the project is archived, or the scheduler settings contradict each other; `details.reason` says which.",
        },
        params: ProjectParams,
        body: UpdateBody,
        response: { 200: Project },
      },
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
      schema: {
        operationId: "archiveProject",
        summary: "Archive a project",
        description: "Archives the project: its data stays readable, changes and agents are refused.",
        answers: {
          409: "It is the last active project (`last_active_project`), or it is archived already (`project_archived`).",
        },
        params: ProjectParams,
        response: { 204: Type.Null() },
      },
      config: { tag: "projects", role: "admin", freshMfa: true },
    },
    async (request, reply) => {
      await projects.archive({ projectId: request.project.id, origin: originOf(request, request.actor) });
      return reply.code(204).send(null);
    },
  );
};
