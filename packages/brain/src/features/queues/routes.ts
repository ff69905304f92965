import { isUuid } from "@svc/protocol";
import { operation, type Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { PageQuery } from "../../platform/http/schemas.ts";
import type { Core } from "../../schema/tables/index.ts";
import { readQueueActivity, readQueueDepths } from "./activity.ts";
import { listQueues, queueNamed } from "./reads.ts";
import {
  ActivityQuery,
  DepthsQuery,
  QueueActivityReply,
  QueueDepthsReply,
  QueuePage,
  QueueParams,
  QueuePublic,
} from "./schemas.ts";

export const queueRoutes: Routes<Core & { readonly settings: PageSizes }> = (app, { database, clock, settings }) => {
  async function queueAt(projectId: string, params: { engine: string; name: string }) {
    const queue = await queueNamed(database, projectId, params);
    if (queue === undefined) throw new ApiError("not_found", { resource: "queue" });
    return queue;
  }

  operation(app, "GET /projects/:slug/queues", {
    operationId: "listQueues",
    summary: "List queues",
    description: "Lists the queues of the project with their last reported depths.",
    querystring: PageQuery,
    response: { 200: QueuePage },
    policy: { tag: "queues", role: "viewer" },
    handler: async ({ project, query }) => {
      const limit = clampLimit(query.limit, settings);
      // The cursor contains the id, because names may be masked.
      const [id] = decodeCursor(query.cursor, ["string"]) ?? [];
      const after = id !== undefined && isUuid(id) ? id : null;
      const rows = await listQueues(database, project.id, { after, limit: limit + 1 });
      return pageOf(rows, limit, (row) => encodeCursor([row.id]));
    },
  });

  operation(app, "GET /projects/:slug/queues/activity", {
    operationId: "getQueueActivity",
    summary: "Get recent activity of queues",
    description: "Counts what entered and left each queue in the last minutes.",
    querystring: ActivityQuery,
    response: { 200: QueueActivityReply },
    policy: { tag: "queues", role: "viewer", heavy: true },
    handler: ({ project, query }) => readQueueActivity(database, { projectId: project.id, query, now: clock.now() }),
  });

  operation(app, "GET /projects/:slug/queues/:engine/:name", {
    operationId: "getQueue",
    summary: "Get a queue",
    description: "Returns one queue.",
    params: QueueParams,
    response: { 200: QueuePublic },
    policy: { tag: "queues", role: "viewer" },
    handler: ({ project, params }) => queueAt(project.id, params),
  });

  operation(app, "GET /projects/:slug/queues/:engine/:name/depths", {
    operationId: "getQueueDepths",
    summary: "Get the depth of a queue over time",
    description: "Returns the reported depths and consumers of a queue. Defaults to the last 24 hours.",
    params: QueueParams,
    querystring: DepthsQuery,
    response: { 200: QueueDepthsReply },
    policy: { tag: "queues", role: "viewer", heavy: true },
    handler: async ({ project, params, query }) => {
      const { id } = await queueAt(project.id, params);
      return readQueueDepths(database, { projectId: project.id, queueId: id, query, now: clock.now() });
    },
  });
};
