import { cutCharacters, futureToleranceMs } from "@svc/protocol";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { migratedAt } from "../../platform/database/migrate.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { nextBucketStart } from "./counters/buckets.ts";
import { nameCharacters } from "./counters/deltas.ts";
import { coveredParts, type Division, type TimeRange } from "./time-range.ts";

export interface KindTotal {
  readonly bucket_at: Date;
  readonly kind: string;
  readonly count: number;
  readonly run_ms_sum: number;
  readonly run_count: number;
}

/** Rows that sum up a queue, or the project, which has no queue. As text, because else the embedded database leaves their index aside. */
export const isTotal = sql<boolean>`engine = ''`;

export interface CountScope {
  readonly projectId: string;
  readonly kinds: readonly string[];
  /** All of the project when absent. */
  readonly queue?: string | undefined;
}

const totalColumns = ["bucket_at", "kind", "count", "run_ms_sum", "run_count"] as const;

const rollupsIn = (db: BrainDatabase, { projectId, kinds, queue = "" }: CountScope, { from, to }: TimeRange) =>
  db.slow
    .selectFrom("rollups")
    .select(totalColumns)
    .where("project_id", "=", projectId)
    .where("queue", "=", queue)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where(isTotal);

/** Totals of a project or of one of its queues whose bucket begins in [from, to), by bucket and kind: the minute, or the hour before 48 h. */
export async function rollupTotals(
  db: BrainDatabase,
  scope: CountScope,
  { from, to }: TimeRange,
): Promise<KindTotal[]> {
  const totals = (start: Date) => rollupsIn(db, scope, { from: start, to }).execute();
  if (scope.queue === undefined) return totals(from);
  const begin = await totalsBegin(db, "queue");
  if (begin <= from) return totals(from);
  const [older, newer] = await Promise.all([
    summedByName(db, { ...scope, queue: scope.queue }, { from, to: begin < to ? begin : to }),
    begin < to ? totals(begin) : [],
  ]);
  return [...older, ...newer];
}

/** The same of a queue from before its totals were kept, from the rollups of all names in it. */
async function summedByName(
  db: BrainDatabase,
  { projectId, kinds, queue }: CountScope & { readonly queue: string },
  { from, to }: TimeRange,
): Promise<KindTotal[]> {
  const rows = await db.slow
    .selectFrom("rollups")
    .select(["bucket_at", "kind"])
    .select(({ fn }) => [
      fn.sum<number>("count").as("count"),
      fn.sum<number>("run_ms_sum").as("run_ms_sum"),
      fn.sum<number>("run_count").as("run_count"),
    ])
    .where("project_id", "=", projectId)
    .where("queue", "=", queue)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where("engine", "<>", "")
    .groupBy(["bucket_at", "kind"])
    .execute();
  return rows.map(({ bucket_at, kind, ...sums }) => ({
    bucket_at,
    kind,
    count: Number(sums.count),
    run_ms_sum: Number(sums.run_ms_sum),
    run_count: Number(sums.run_count),
  }));
}

/**
 * Totals of a project in [from, to), by kind and the widest buckets that lie within parts of `widthMs`: what ended, and no other kind
 * (`NameRollupRow`). A total by the minute lies far from the next one, among the rows of all names, so the few wide ones are read instead.
 */
export async function projectTotals(
  db: BrainDatabase,
  scope: Omit<CountScope, "queue">,
  range: TimeRange,
  { widthMs, now }: Omit<Division, "begin">,
): Promise<KindTotal[]> {
  const begin = await totalsBegin(db, "project");
  const [first, ...more] = coveredParts(range, { widthMs, now, begin }).map(({ grain, from, to }) =>
    grain === null
      ? rollupsIn(db, scope, { from, to })
      : db.slow
          .selectFrom("name_rollups")
          .select(totalColumns)
          .where("project_id", "=", scope.projectId)
          .where("grain_minutes", "=", grain)
          // The whole project stands under the empty name.
          .where("name", "=", "")
          .where("kind", "in", scope.kinds)
          .where("bucket_at", ">=", from)
          .where("bucket_at", "<", to),
  );
  if (first === undefined) return [];
  return more.reduce((all, next) => all.unionAll(next), first).execute();
}

/** Events of one kind of one task name by the hour (of the last eight days) or the day, whose bucket begins in [from, to). */
export const countsOfName = (
  db: BrainDatabase,
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
export async function taskCounts(db: BrainDatabase, projectId: string): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("task_counts")
    .select(["state", "count"])
    .where("project_id", "=", projectId)
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Math.max(0, Number(count))]));
}

/** Rows of a table by state, revoked agents left out. */
export async function agentsByState(db: BrainDatabase, projectId: string): Promise<Record<string, number>> {
  const rows = await db.read
    .selectFrom("agents")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .groupBy("state")
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

export async function workersByState(db: BrainDatabase, projectId: string): Promise<Record<string, number>> {
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
  db: BrainDatabase,
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

/** Commands that wait to be sent now, and those that an agent has, whenever they were issued. */
export async function countOpenCommands(
  db: BrainDatabase,
  projectId: string,
): Promise<Record<"pending" | "dispatched", number>> {
  const rows = await db.read
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
    .select(["status", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .groupBy("status")
    .execute();
  const countOf = (wanted: string) => Number(rows.find(({ status }) => status === wanted)?.count ?? 0);
  return { pending: countOf("pending"), dispatched: countOf("dispatched") };
}

const maxQueuesShown = 500;

export const queueDepths = (db: BrainDatabase, projectId: string) =>
  db.read
    .selectFrom("queues")
    .select(["name", "engine", "pending_count", "broker_type", "last_seen_at"])
    .where("project_id", "=", projectId)
    .orderBy("pending_count", "desc")
    .orderBy("name")
    .limit(maxQueuesShown)
    .execute();

const hourMs = 3_600_000;

/** The migration that brought rollups, and those since which more is summed up from them. */
const rollupsMade = "0003_tasks";
const totalsMade = { project: "0005_overview", queue: "0009_queue_totals" } as const;

/**
 * The hour from which the wide totals of projects (`name_rollups`), or the totals of queues, hold everything that rollups hold. That is
 * always so where both were there from the start. A database that was upgraded has older rollups by name alone, to which its totals hold
 * no more than what came late.
 */
async function totalsBegin(database: BrainDatabase, of: keyof typeof totalsMade): Promise<Date> {
  const made = totalsMade[of];
  const appliedAt = await migratedAt(database as unknown as Database<unknown>, [rollupsMade, made]);
  const first = appliedAt.get(rollupsMade)?.getTime() ?? 0;
  const then = appliedAt.get(made)?.getTime() ?? 0;
  if (then <= first) return new Date(0);
  // A whole hour, because older rollups are kept by it. The clock of a machine with tasks may have been ahead.
  return nextBucketStart(new Date(then + futureToleranceMs), hourMs);
}
