import { type EventKind, isUuid, parseJson } from "@svc/protocol";
import { operation, plainSerializer, type Routes } from "../../platform/http/app.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes } from "../../platform/http/content/paging.ts";
import { parseInstant } from "../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { listEvents } from "./list.ts";
import type { EventPosition } from "./reads.ts";
import { EventPage, EventQuery } from "./schemas.ts";

export const eventRoutes: Routes<{ database: BrainDatabase; settings: PageSizes }> = (app, { database, settings }) => {
  operation(app, "GET /projects/:slug/events", {
    operationId: "listEvents",
    summary: "List events",
    description: "Lists the stored events of the project, newest first.",
    querystring: EventQuery,
    response: { 200: EventPage },
    serializerCompiler: plainSerializer,
    policy: { tag: "events", role: "viewer", heavy: true },
    handler: async ({ project, query }) => {
      const limit = clampLimit(query.limit, settings);
      const after = readPosition(query.cursor);
      const { rows, next } = await listEvents(database, project.id, filterOf(query), { after, limit });
      return {
        items: rows.map((row) => ({
          ...row,
          kind: row.kind as EventKind,
          payload: parseJson(row.payload) as Record<string, unknown>,
        })),
        next_cursor: next === null ? null : encodeCursor([next.occurredAt, next.id]),
      };
    },
  });
};

function filterOf({ engine, task_id, kind, since, until }: EventQuery) {
  const from = since === undefined ? null : parseInstant(since);
  const to = until === undefined ? null : parseInstant(until);
  return {
    ...(engine !== undefined && engine !== "" && { engine }),
    ...(task_id !== undefined && task_id !== "" && { taskId: task_id }),
    ...(kind !== undefined && { kind }),
    ...(from !== null && { since: from }),
    ...(to !== null && { until: to }),
  };
}

function readPosition(cursor: string | undefined): EventPosition | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  return values === null || !isUuid(values[1]) ? null : { occurredAt: values[0], id: values[1] };
}
