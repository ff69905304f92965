import { type RawBuilder, sql } from "kysely";
import type { Database, DialectName } from "../../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../../schema/tables/index.ts";
import { bounds, type Scope } from "../search/match-reads.ts";
import { withinTime } from "../search/time-limit-reads.ts";

type Db = Database<Tables>;

/** What a read may find, and how long it may take. */
interface Most {
  readonly rows: number;
  readonly timeoutMs: number;
}

/** Ids of the newest failed tasks of a name, from the index of failed tasks. Null when the time was used up. */
export async function failedOfName(
  db: Db,
  { scope, name }: { scope: Scope; name: string },
  most: Most,
): Promise<string[] | null> {
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    sql`name = ${name}`,
    // As text, as the index has it: the embedded database takes a partial index only then.
    sql`state = 'failure'`,
    ...bounds(scope),
  ];
  const index = db.dialect === "sqlite" ? sql` INDEXED BY tasks_failed_by_name` : sql``;
  const query = sql<{ id: string }>`
    SELECT id FROM tasks${index} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY received_at DESC LIMIT ${most.rows}`;
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
  db: Db,
  { projectId, fingerprint, since, until }: { projectId: string; fingerprint: string; since: Date; until: Date },
  most: Most,
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

/** Characters of the arguments of one task that are read. */
const maxArgumentBytes = 8192;

export async function sampledTasks({ slow, dialect }: Db, ids: readonly string[]): Promise<SampledTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SampledTask>`
    SELECT worker_name, queue, priority, release, received_at, ${ifShort(dialect, "args")}, ${ifShort(dialect, "kwargs")}
    FROM tasks WHERE id IN (${sql.join(ids)})`.execute(slow);
  return rows;
}

/** The stored length first: a large value of the server database is then not even unpacked. */
function ifShort(dialect: DialectName, name: "args" | "kwargs"): RawBuilder<unknown> {
  const column = sql.ref(name);
  const isShort =
    dialect === "sqlite"
      ? sql`octet_length(${column}) <= ${maxArgumentBytes}`
      : sql`CASE WHEN pg_column_size(${column}) <= ${maxArgumentBytes} THEN octet_length(${column}::text) <= ${maxArgumentBytes} END`;
  return sql`CASE WHEN ${isShort} THEN ${column} END AS ${column}`;
}
