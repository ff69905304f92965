import type { Database } from "../../platform/database/database.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/paging.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { filterOfQuery } from "./filter.ts";
import { addressKey, countTasks, lineageOf, listTasks, type Position } from "./reads.ts";
import type { TaskListQuery } from "./schemas.ts";
import { type PublicTask, type PublicTaskRow, publicTask } from "./task-public.ts";

export interface TaskPageAnswer {
  readonly items: PublicTask[];
  readonly next_cursor: string | null;
  readonly total_count: number | null;
}

/** One page of the task list, newest received first. */
export async function listPage(
  database: Database<Tables>,
  sizes: PageSizes,
  request: { projectId: string; query: TaskListQuery },
): Promise<TaskPageAnswer> {
  const { projectId, query } = request;
  const filter = filterOfQuery(query);
  const limit = clampLimit(query.limit, sizes);
  const rows = await listTasks(database, projectId, filter, { after: readPosition(query.cursor), limit: limit + 1 });
  const page = pageOf(rows, limit, (row) => encodeCursor([row.received_at, row.id]));
  const [items, total] = await Promise.all([
    withLineage(database, projectId, page.items),
    query.include_total === true ? countTasks(database, projectId, filter) : null,
  ]);
  return { items, next_cursor: page.next_cursor, total_count: total };
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readPosition(cursor: string | undefined): Position | null {
  const values = decodeCursor(cursor, ["instant", "string"]);
  if (values === null || !uuidForm.test(values[1])) return null;
  return { receivedAt: values[0], id: values[1] };
}

/** Public tasks of rows, each with its retry lineage. */
export async function withLineage(
  database: Database<Tables>,
  projectId: string,
  rows: readonly PublicTaskRow[],
): Promise<PublicTask[]> {
  const lineage = await lineageOf(database, projectId, rows);
  return rows.map((row) => publicTask(row, lineage.get(addressKey(row))));
}
