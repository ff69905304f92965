import { type RawBuilder, sql } from "kysely";
import { indexed } from "../../../platform/database/dialects/expressions/index-hints.ts";
import { isTextWithin } from "../../../platform/database/dialects/expressions/stored-size.ts";
import { withinTime } from "../../../platform/database/dialects/time-limit.ts";
import type { BrainDatabase, TaskRow } from "../../../schema/tables/index.ts";
import { bounds, type ListScope } from "../search/match-reads.ts";

/** What a read may find, and how long it may take. */
interface ReadLimits {
  readonly rows: number;
  readonly timeoutMs: number;
}

/** Ids of the newest failed tasks of a name, from the index of failed tasks. Null when the time was used up. */
export async function failedOfName(
  db: BrainDatabase,
  { scope, name }: { scope: ListScope; name: string },
  most: ReadLimits,
): Promise<string[] | null> {
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    sql`name = ${name}`,
    // As text, as the index has it: the embedded database takes a partial index only then.
    sql`state = 'failure'`,
    ...bounds(scope),
  ];
  const query = sql<{ id: string }>`
    SELECT id FROM ${indexed("tasks", "tasks_failed_by_name")} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY received_at DESC LIMIT ${most.rows}`;
  return (await withinTime(db, query, most.timeoutMs))?.map(({ id }) => id) ?? null;
}

export interface FailureOfPrint {
  readonly id: string;
  readonly name: string;
}

/**
 * Tasks that last failed with a fingerprint in the range, newest first, and are failed still, among the `rows` newest with that
 * fingerprint; `seen` of these there were. Null when the time was used up.
 */
export async function failedOfFingerprint(
  db: BrainDatabase,
  { projectId, fingerprint, since, until }: { projectId: string; fingerprint: string; since: Date; until: Date },
  most: ReadLimits,
): Promise<{ failed: FailureOfPrint[]; seen: number } | null> {
  const query = sql<FailureOfPrint & { state: string }>`
    SELECT id, name, state FROM tasks WHERE project_id = ${projectId} AND fingerprint = ${fingerprint}
      AND last_failed_at >= ${since} AND last_failed_at <= ${until}
    ORDER BY last_failed_at DESC LIMIT ${most.rows}`;
  const found = await withinTime(db, query, most.timeoutMs);
  if (found === null) return null;
  const failed = found.filter(({ state }) => state === "failure").map(({ id, name }) => ({ id, name }));
  return { failed, seen: found.length };
}

/** A task as far as its attributes go; arguments that are too large to be compared are null. */
export type SampledTask = Pick<TaskRow, "worker_name" | "queue" | "priority" | "release" | "received_at"> & {
  readonly args: string | null;
  readonly kwargs: string | null;
};

/** Bytes of one payload of a task that are read. */
const maxPayloadBytes = 8192;

export async function sampledTasks({ slow }: BrainDatabase, ids: readonly string[]): Promise<SampledTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SampledTask>`
    SELECT worker_name, queue, priority, release, received_at, ${ifShort("args")}, ${ifShort("kwargs")}
    FROM tasks WHERE id IN (${sql.join(ids)})`.execute(slow);
  return rows;
}

type PayloadColumn = "args" | "kwargs" | "result";

/** Payloads of these tasks as JSON texts; null for what is too large to be read, or absent. */
export async function sampledPayloads(
  { slow }: BrainDatabase,
  ids: readonly string[],
  columns: readonly PayloadColumn[],
): Promise<Partial<Record<PayloadColumn, string | null>>[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Partial<Record<PayloadColumn, string | null>>>`
    SELECT ${sql.join(columns.map(ifShort))} FROM tasks WHERE id IN (${sql.join(ids)})`.execute(slow);
  return rows;
}

function ifShort(name: PayloadColumn): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`CASE WHEN ${isTextWithin(column, maxPayloadBytes)} THEN ${column} END AS ${column}`;
}
