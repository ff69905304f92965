import { type RawBuilder, sql } from "kysely";
import { byDialect } from "../../../platform/database/dialects/by-dialect.ts";
import { newestThrough } from "../../../platform/database/dialects/expressions/index-hints.ts";
import { isTextWithin } from "../../../platform/database/dialects/expressions/stored-size.ts";
import { withinTime } from "../../../platform/database/dialects/time-limit.ts";
import type { BrainDatabase, TaskRow } from "../../../schema/tables/index.ts";
import type { TimeRange } from "../../stats/index.ts";
import type { PartSample } from "./sample.ts";

/** A set of tasks to compare: those in a state with a name, or with the fingerprint of their last failure. */
export type ComparedSet = { readonly projectId: string } & (
  | { readonly state: "failure"; readonly fingerprint: string }
  | { readonly state: "failure" | "success"; readonly name: string }
);

interface SetIndex {
  readonly index: string;
  readonly column: "name" | "fingerprint";
  /** The time by which the set is sampled. */
  readonly time: "received_at" | "last_failed_at";
  /** Rows read per wanted task, because other tasks with the same name or fingerprint have another state. */
  readonly rowsPerTask: number;
  // Must match the partial index word for word; otherwise the databases do not use it.
  readonly conditions: readonly RawBuilder<unknown>[];
}

function indexOf(set: ComparedSet): SetIndex {
  if ("fingerprint" in set) {
    const index = { index: "tasks_by_fingerprint", column: "fingerprint", time: "last_failed_at" } as const;
    return { ...index, rowsPerTask: 2, conditions: [sql`fingerprint IS NOT NULL`] };
  }
  const byName = { column: "name", time: "received_at" } as const;
  // Most tasks of a name pass, so the index without the state is enough.
  if (set.state === "success") return { ...byName, index: "tasks_by_name", rowsPerTask: 4, conditions: [] };
  return { ...byName, index: "tasks_failed_by_name", rowsPerTask: 1, conditions: [sql`state = 'failure'`] };
}

interface FoundRow {
  readonly part: number;
  readonly place: number;
  readonly id: string;
  readonly name: string;
  readonly sampled_at: Date;
  readonly is_match: boolean;
}

/** The newest tasks of a set in each part of the range, at most `limit` per part, from a bounded number of rows. Null when the time limit was reached. */
export async function newestInParts(
  db: BrainDatabase,
  set: ComparedSet,
  parts: readonly TimeRange[],
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<PartSample[] | null> {
  const { rowsPerTask, conditions, ...index } = indexOf(set);
  const value = sql`${"fingerprint" in set ? set.fingerprint : set.name}`;
  const time = sql.ref(index.time);
  // One more than wanted shows whether there are others.
  const rows = (limit + 1) * rowsPerTask;
  const reads = parts.map((range, part) => {
    const owner = [sql`project_id = ${set.projectId}`, ...conditions];
    // On PostgreSQL the range over column and time is equivalent; with both, it would use an index by time alone.
    const within = byDialect({ postgres: sql`true`, sqlite: sql`${time} >= ${range.from} AND ${time} <= ${range.to}` });
    const newest = newestThrough({ table: "tasks", ...index }, value, [...owner, within], range);
    const read = sql`SELECT id, name, ${time} AS sampled_at, state ${newest} LIMIT ${rows}`;
    const judged = sql`
      SELECT id, name, sampled_at, state = ${set.state} AS is_match, row_number() OVER (ORDER BY sampled_at DESC) AS place
      FROM (${read}) AS task`;
    return sql`SELECT * FROM (
      SELECT ${sql.lit(part)} AS part, * FROM (${judged}) AS seen WHERE is_match OR place = ${rows} ORDER BY place LIMIT ${limit + 1}
    ) AS own`;
  });
  const found = await withinTime(db, sql<FoundRow>`${sql.join(reads, sql` UNION ALL `)}`, timeoutMs);
  if (found === null) return null;
  const byPart = Map.groupBy(found, ({ part }) => part);
  return parts.map((_, part) => {
    const own = byPart.get(part) ?? [];
    const tasks = own.filter(({ is_match }) => is_match).map(({ id, name, sampled_at: at }) => ({ id, name, at }));
    // The last row within the limit represents the rows behind it.
    const isWhole = tasks.length <= limit && own.every(({ place }) => Number(place) < rows);
    return { tasks: tasks.slice(0, limit), isWhole };
  });
}

/** The attributes of a task; arguments that are too large to compare are null. */
export type SampledTask = Pick<TaskRow, "worker_name" | "queue" | "priority" | "release" | "received_at"> & {
  readonly args: string | null;
  readonly kwargs: string | null;
};

/** Maximum number of bytes of one payload that are read. */
const maxPayloadBytes = 8192;

export async function sampledTasks({ slow }: BrainDatabase, ids: readonly string[]): Promise<SampledTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SampledTask>`
    SELECT worker_name, queue, priority, release, received_at, ${ifShort("args")}, ${ifShort("kwargs")}
    FROM tasks WHERE id IN (${sql.join(ids)})`.execute(slow);
  return rows;
}

type PayloadColumn = "args" | "kwargs" | "result";

/** Payloads of these tasks as JSON texts; null when absent or too large. */
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
