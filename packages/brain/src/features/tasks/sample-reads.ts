import { type RawBuilder, sql } from "kysely";
import type { Database, DialectName } from "../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";
import { bounds, type Scope } from "./match-reads.ts";

type Runner = Database<Tables>["slow"];

/** Ids of the newest failed tasks of a name, from the index of failed tasks. */
export async function failedOfName(
  db: Runner,
  dialect: DialectName,
  { scope, name }: { scope: Scope; name: string },
  limit: number,
): Promise<string[]> {
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    sql`name = ${name}`,
    // As text, as the index has it: the embedded database takes a partial index only then.
    sql`state = 'failure'`,
    ...bounds(scope),
  ];
  const index = dialect === "sqlite" ? sql` INDEXED BY tasks_failed_by_name` : sql``;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM tasks${index} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY received_at DESC LIMIT ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export interface FailureOfPrint {
  readonly id: string;
  readonly name: string;
}

/**
 * Tasks that last failed with a fingerprint in the range, newest first, and are failed still, among the `rows` newest with that
 * fingerprint; `seen` of these there were.
 */
export async function failedOfFingerprint(
  db: Runner,
  { projectId, fingerprint, since, until }: { projectId: string; fingerprint: string; since: Date; until: Date },
  rows: number,
): Promise<{ failed: FailureOfPrint[]; seen: number }> {
  const { rows: found } = await sql<FailureOfPrint & { state: string }>`
    SELECT id, name, state FROM tasks WHERE project_id = ${projectId} AND fingerprint = ${fingerprint}
      AND last_failed_at >= ${since} AND last_failed_at <= ${until}
    ORDER BY last_failed_at DESC LIMIT ${rows}`.execute(db);
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

export async function sampledTasks(db: Runner, dialect: DialectName, ids: readonly string[]): Promise<SampledTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SampledTask>`
    SELECT worker_name, queue, priority, release, received_at, ${ifShort(dialect, "args")}, ${ifShort(dialect, "kwargs")}
    FROM tasks WHERE id IN (${sql.join(ids)})`.execute(db);
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
