import { sql } from "kysely";
import { indexed } from "../../platform/database/dialects/expressions/index-hints.ts";
import type { BrainDatabase, TaskRow } from "../../schema/tables/index.ts";
import type { TaskPosition } from "../tasks/index.ts";

export interface StaleQuery {
  readonly projectId: string;
  readonly state: string;
  readonly engines: readonly string[];
  /** A task is stale when it started, or was first seen, before this. */
  readonly cutoff: Date;
  /** Tasks with a later ETA are skipped. */
  readonly now: Date;
  readonly after: TaskPosition | null;
  /** Maximum rows to scan. */
  readonly scanRows: number;
}

export type StaleTask = Pick<TaskRow, "id" | "engine" | "task_id" | "received_at" | "reported_by">;

type Slow = Pick<BrainDatabase, "slow">;

/** The scanned rows: tasks of the project and state that were first seen before the cutoff, which holds for every stale task. */
function scanned({ projectId, state, cutoff, after, scanRows }: StaleQuery) {
  // With two time bounds, SQLite would choose the index of all states.
  const from = indexed("tasks", "tasks_by_state");
  const following = after === null ? sql`` : sql` AND (received_at, id) > (${after.receivedAt}, ${after.id})`;
  return sql`SELECT id, engine, task_id, received_at, started_at, eta, reported_by FROM ${from}
    WHERE project_id = ${projectId} AND state = ${state} AND received_at < ${cutoff}${following}
    ORDER BY received_at, id LIMIT ${scanRows}`;
}

/** Stale tasks of the engines, in the order in which they were first seen. */
export async function staleTasks(db: Slow, query: StaleQuery, limit: number): Promise<StaleTask[]> {
  const { engines, cutoff, now } = query;
  const { rows } = await sql<StaleTask>`SELECT id, engine, task_id, received_at, reported_by
    FROM (${scanned(query)}) AS t
    WHERE engine IN (${sql.join(engines)}) AND coalesce(started_at, received_at) < ${cutoff}
      AND (eta IS NULL OR eta <= ${now})
    ORDER BY received_at, id LIMIT ${limit}`.execute(db.slow);
  return rows;
}

/** The last scanned row; undefined when the scan reached the end. */
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
