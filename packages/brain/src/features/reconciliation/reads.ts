import { sql } from "kysely";
import { indexed } from "../../platform/database/dialects/expressions/index-hints.ts";
import type { BrainDatabase, TaskRow } from "../../schema/tables/index.ts";
import type { TaskPosition } from "../tasks/index.ts";

export interface StaleQuery {
  readonly projectId: string;
  readonly state: string;
  readonly engines: readonly string[];
  /** Stale is what started, else was first seen, before this. */
  readonly cutoff: Date;
  /** A task with a later eta waits for it. */
  readonly now: Date;
  readonly after: TaskPosition | null;
  /** Rows that are looked at. */
  readonly scanRows: number;
}

export type StaleTask = Pick<TaskRow, "id" | "engine" | "task_id" | "received_at" | "reported_by">;

type Slow = Pick<BrainDatabase, "slow">;

/** The rows that are looked at: of the project and state, seen first before the cutoff, which no stale task was after. */
function scanned({ projectId, state, cutoff, after, scanRows }: StaleQuery) {
  // Between two times the embedded database takes the index of all states.
  const from = indexed("tasks", "tasks_by_state");
  const behind = after === null ? sql`` : sql` AND (received_at, id) > (${after.receivedAt}, ${after.id})`;
  return sql`SELECT id, engine, task_id, received_at, started_at, eta, reported_by FROM ${from}
    WHERE project_id = ${projectId} AND state = ${state} AND received_at < ${cutoff}${behind}
    ORDER BY received_at, id LIMIT ${scanRows}`;
}

/** Stale tasks of the engines, those seen first first. */
export async function staleTasks(db: Slow, query: StaleQuery, limit: number): Promise<StaleTask[]> {
  const { engines, cutoff, now } = query;
  const { rows } = await sql<StaleTask>`SELECT id, engine, task_id, received_at, reported_by
    FROM (${scanned(query)}) AS t
    WHERE engine IN (${sql.join(engines)}) AND coalesce(started_at, received_at) < ${cutoff}
      AND (eta IS NULL OR eta <= ${now})
    ORDER BY received_at, id LIMIT ${limit}`.execute(db.slow);
  return rows;
}

/** The last row that is looked at; undefined when there are fewer than may be. */
export async function scanEnd(db: Slow, query: StaleQuery): Promise<Pick<TaskRow, "id" | "received_at"> | undefined> {
  const { rows } = await sql<Pick<TaskRow, "id" | "received_at">>`SELECT id, received_at FROM (${scanned(query)}) AS t
    ORDER BY received_at, id LIMIT 1 OFFSET ${query.scanRows - 1}`.execute(db.slow);
  return rows[0];
}

export type StoredState = Pick<TaskRow, "id" | "state" | "attempt" | "fold">;

export const findTaskState = (
  { read }: Pick<BrainDatabase, "read">,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
): Promise<StoredState | undefined> =>
  read
    .selectFrom("tasks")
    .select(["id", "state", "attempt", "fold"])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
