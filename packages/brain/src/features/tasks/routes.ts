import type { Readable } from "node:stream";
import { type Static, Type } from "typebox";
import { operation, plainSerializer, type Routes } from "../../platform/http/app.ts";
import type { PageSizes } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { exportAnswers } from "../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { type Audit, originOf } from "../audit/index.ts";
import { exportTasks } from "./export.ts";
import { listPage, withLineage } from "./list.ts";
import { findPublicTask } from "./reads.ts";
import { bulkDelete } from "./retention/bulk-delete.ts";
import {
  BulkDeleteBody,
  BulkDeleteReply,
  TaskListQuery,
  TaskPage,
  TaskParams,
  TaskPublic,
  TaskTree,
} from "./schemas.ts";
import { readTree } from "./tree.ts";

export interface TaskRouteDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "append">;
  readonly settings: PageSizes & { readonly SVC_TASKS_EXPORT_MAX_ROWS: number };
  /** Rows in the form of exports. */
  shown(rows: unknown): unknown;
  deleted(projectId: string, ids: readonly string[]): void;
}

/** A page, or the stream of an export; the API document shows the page. */
const PageOrExport = Type.Unsafe<Static<typeof TaskPage> | Readable>(TaskPage);

export const taskRoutes: Routes<TaskRouteDeps> = (app, { database, audit, settings, shown, deleted }) => {
  operation(app, "GET /projects/:slug/tasks", {
    operationId: "listTasks",
    summary: "List or export tasks",
    description:
      "Lists the tasks that match all filters, by `received_at`, newest first. With `format`, streams every matching task as one file instead. Exports are audited; one above the configured maximum (50,000 rows, 25,000 for `xlsx`) is refused, never cut.",
    answers: exportAnswers,
    querystring: TaskListQuery,
    response: { 200: PageOrExport },
    serializerCompiler: plainSerializer,
    policy: { tag: "tasks", role: "viewer", heavy: true },
    handler: async (request, reply) => {
      const { project, query } = request;
      if (query.format === undefined) return listPage(database, settings, { projectId: project.id, query });
      const { body, fileName, mediaType } = await exportTasks(
        { database, audit, shown, maxRows: settings.SVC_TASKS_EXPORT_MAX_ROWS },
        {
          projectId: project.id,
          slug: project.slug,
          query,
          format: query.format,
          origin: originOf(request),
        },
      );
      reply.type(mediaType).header("content-disposition", `attachment; filename="${fileName}"`);
      return reply.send(body);
    },
  });

  operation(app, "GET /projects/:slug/tasks/:engine/:task_id", {
    operationId: "getTask",
    summary: "Get a task",
    description: "Returns one task.",
    params: TaskParams,
    response: { 200: TaskPublic },
    serializerCompiler: plainSerializer,
    policy: { tag: "tasks", role: "viewer" },
    handler: async ({ params, project }) => {
      const row = await findPublicTask(database, {
        projectId: project.id,
        engine: params.engine,
        taskId: params.task_id,
      });
      if (row === null) throw new ApiError("not_found", { resource: "task" });
      return (await withLineage(database, project.id, [row]))[0];
    },
  });

  operation(app, "GET /projects/:slug/tasks/:engine/:task_id/tree", {
    operationId: "getTaskTree",
    summary: "Get the tree of a task",
    description: "Returns all tasks with the same root, at most 500.",
    params: TaskParams,
    response: { 200: TaskTree },
    policy: { tag: "tree", role: "viewer" },
    handler: ({ params, project }) =>
      readTree(database, { projectId: project.id, engine: params.engine, taskId: params.task_id }),
  });

  operation(app, "POST /projects/:slug/tasks/bulk-delete", {
    operationId: "deleteTasks",
    summary: "Delete tasks",
    description:
      "Deletes the listed tasks, or up to 10,000 that match the filters; repeat until `deleted_count` is 0. Give either `task_ids` or at least one filter. Deleted tasks cannot be restored; their events are kept.",
    body: BulkDeleteBody,
    response: { 200: BulkDeleteReply },
    policy: { tag: "tasks", role: "admin", bucket: "bulk" },
    handler: (request) =>
      bulkDelete(
        { database, audit, deleted },
        { projectId: request.project.id, body: request.body, origin: originOf(request) },
      ),
  });
};
