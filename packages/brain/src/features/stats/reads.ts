import { cutCharacters } from "@svc/protocol";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { nameCharacters } from "./deltas.ts";
import type { TimeRange } from "./time-range.ts";

type Db = Database<Tables>;

export interface KindTotal {
  readonly bucket_at: Date;
  readonly kind: string;
  readonly count: number;
  readonly run_ms_sum: number;
  readonly run_count: number;
}

/** Totals of a project whose bucket begins in [from, to), by bucket and kind. */
export async function rollupTotals(
  db: Db,
  projectId: string,
  { from, to }: TimeRange,
  kinds: readonly string[],
): Promise<KindTotal[]> {
  return (
    db.slow
      .selectFrom("rollups")
      .select(["bucket_at", "kind", "count", "run_ms_sum", "run_count"])
      .where("project_id", "=", projectId)
      .where("kind", "in", kinds)
      .where("bucket_at", ">=", from)
      .where("bucket_at", "<", to)
      // As text, as the index of totals has it: the embedded database takes a partial index only then.
      .where(sql<boolean>`engine = ''`)
      .execute()
  );
}

export interface CountScope {
  readonly projectId: string;
  readonly kinds: readonly string[];
  /** All of the project when absent. */
  readonly queue?: string | undefined;
}

/** Counts of all of a project or of one queue whose bucket begins in [from, to), by bucket and kind. */
export async function countsByKind(
  db: Db,
  { projectId, kinds, queue }: CountScope,
  range: TimeRange,
): Promise<Pick<KindTotal, "bucket_at" | "kind" | "count">[]> {
  if (queue === undefined) return rollupTotals(db, projectId, range, kinds);
  const rows = await db.slow
    .selectFrom("rollups")
    .select(["bucket_at", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
    .where("project_id", "=", projectId)
    .where("queue", "=", queue)
    .where("bucket_at", ">=", range.from)
    .where("bucket_at", "<", range.to)
    .where("kind", "in", kinds)
    .groupBy(["bucket_at", "kind"])
    .execute();
  return rows.map(({ count, ...rest }) => ({ ...rest, count: Number(count) }));
}

/** Events of one kind of one task name by the hour (of the last eight days) or the day, whose bucket begins in [from, to). */
export const countsOfName = (
  db: Db,
  { projectId, name, kind }: { projectId: string; name: string; kind: string },
  grainMinutes: 60 | 1440,
  { from, to }: TimeRange,
): Promise<{ bucket_at: Date; count: number }[]> =>
  db.slow
    .selectFrom("name_rollups")
    .select(["bucket_at", "count"])
    .where("project_id", "=", projectId)
    .where("grain_minutes", "=", grainMinutes)
    .where("name", "=", cutCharacters(name, nameCharacters))
    .where("kind", "=", kind)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .orderBy("bucket_at", "desc")
    .execute();

/** Task rows by state, as folded so far (at most 5 s behind). */
export async function taskCounts(db: Db, projectId: string): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("task_counts")
    .select(["state", "count"])
    .where("project_id", "=", projectId)
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Math.max(0, Number(count))]));
}

/** Rows of a table by state, revoked agents left out. */
export async function agentsByState(db: Db, projectId: string): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("agents")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .groupBy("state")
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

export async function workersByState(db: Db, projectId: string): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("workers")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .groupBy("state")
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Commands issued in the range by status. */
export async function commandsByStatus(
  db: Db,
  projectId: string,
  { from, to }: TimeRange,
): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("commands")
    .select(["status", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .where("issued_at", ">=", from)
    .where("issued_at", "<=", to)
    .groupBy("status")
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Commands that wait to be sent now, whenever they were issued. */
export async function countPendingCommands(db: Db, projectId: string): Promise<number> {
  const { count } = await db.read
    // By itself and as text, because else the embedded database reads all commands of the project instead of the few open ones.
    .with(
      (cte) => cte("open_commands").materialized(),
      (open) =>
        open
          .selectFrom("commands")
          .select(["project_id", "status"])
          .where(sql<boolean>`status IN ('pending', 'dispatched')`),
    )
    .selectFrom("open_commands")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("project_id", "=", projectId)
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  return Number(count);
}

const maxQueuesShown = 500;

export const queueDepths = (db: Db, projectId: string) =>
  db.read
    .selectFrom("queues")
    .select(["name", "engine", "pending_count", "broker_type", "last_seen_at"])
    .where("project_id", "=", projectId)
    .orderBy("pending_count", "desc")
    .orderBy("name")
    .limit(maxQueuesShown)
    .execute();
