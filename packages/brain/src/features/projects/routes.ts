import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { originOf } from "../audit/index.ts";
import type { Projects } from "./projects.ts";
import { CreateBody, ListQuery, Project, ProjectList, UpdateBody } from "./schemas.ts";

export const projectRoutes: Routes<{ projects: Projects }> = (app, { projects }) => {
  operation(app, "GET /projects", {
    operationId: "listProjects",
    summary: "List projects",
    description: "Lists the projects that you are a member of, or all projects for an instance administrator.",
    querystring: ListQuery,
    response: { 200: ProjectList },
    policy: { tag: "projects" },
    handler: (request) => projects.list(request.actor, { includeArchived: request.query.include_archived }),
  });

  operation(app, "POST /projects", {
    operationId: "createProject",
    summary: "Create a project",
    description: "Creates a project with you as its admin.",
    answers: {
      409: "The slug is in use (`slug_in_use`) or malformed (`slug_pattern`), or the scheduler settings contradict each other.",
    },
    body: CreateBody,
    response: { 201: Project },
    policy: { tag: "projects", globalAdmin: true },
    handler: (request) => {
      const { actor, body } = request;
      return projects.create({ body, creatorId: actor.user.id, origin: originOf(request) });
    },
  });

  operation(app, "GET /projects/:slug", {
    operationId: "getProject",
    summary: "Get a project",
    description: "Returns one project.",
    response: { 200: Project },
    policy: { tag: "projects", role: "viewer" },
    handler: (request) => projects.get(request.project.id),
  });

  operation(app, "PATCH /projects/:slug", {
    operationId: "changeProject",
    summary: "Change a project",
    description: "Changes the given fields of the project. `is_active: true` restores an archived project.",
    answers: {
      409: "The slug is in use or malformed, the project is archived, or the scheduler settings contradict each other; `details.reason` names the problem.",
    },
    body: UpdateBody,
    response: { 200: Project },
    // The only route that accepts an archived project, so that it can be restored; the decision refuses other changes to it.
    policy: { tag: "projects", role: "admin", archivedOk: true },
    handler: (request) =>
      projects.update({
        projectId: request.project.id,
        body: request.body,
        origin: originOf(request),
      }),
  });

  operation(app, "DELETE /projects/:slug", {
    operationId: "archiveProject",
    summary: "Archive a project",
    description: "Archives the project: its data stays readable, but changes and agents are refused.",
    answers: {
      409: "It is the last active project (`last_active_project`), or it is already archived (`project_archived`).",
    },
    response: { 204: Type.Null() },
    policy: { tag: "projects", role: "admin", freshMfa: true },
    handler: (request) => projects.archive({ projectId: request.project.id, origin: originOf(request) }),
  });
};
