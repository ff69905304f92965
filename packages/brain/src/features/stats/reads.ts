import { sql } from "kysely";
import type { BrainDatabase, RollupRow } from "../../schema/tables/index.ts";
import { coveredParts, type Division, type TimeRange } from "./time-range.ts";

/** Rows that sum up a queue, or the project with an empty queue. As text, because SQLite would otherwise ignore their index. */
export const isTotal = sql<boolean>`engine = ''`;

export interface CountScope {
  readonly projectId: string;
  readonly kinds: readonly string[];
  /** The whole project when absent. */
  readonly queue?: string | undefined;
}

const totalColumns = ["bucket_at", "kind", "count", "run_ms_sum", "run_count"] as const;
export type KindTotal = Pick<RollupRow, (typeof totalColumns)[number]>;

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

/** Totals of a project or of one of its queues whose bucket starts in [from, to), by bucket and kind: the minute, or the hour before 48 h. */
export const rollupTotals = (db: BrainDatabase, scope: CountScope, range: TimeRange): Promise<KindTotal[]> =>
  rollupsIn(db, scope, range).execute();

/**
 * Totals of a project in [from, to), by kind and the widest buckets that fit into intervals of `widthMs`; ended tasks only (`NameRollupRow`).
 * Totals by the minute are far apart, among the rows of all names, so the few wide ones are read instead.
 */
export async function projectTotals(
  db: BrainDatabase,
  scope: Omit<CountScope, "queue">,
  range: TimeRange,
  division: Division,
): Promise<KindTotal[]> {
  const [first, ...more] = coveredParts(range, division).map(({ grain, from, to }) =>
    grain === null
      ? rollupsIn(db, scope, { from, to })
      : db.slow
          .selectFrom("name_rollups")
          .select(totalColumns)
          .where("project_id", "=", scope.projectId)
          .where("grain_minutes", "=", grain)
          // The empty name holds the whole project.
          .where("name", "=", "")
          .where("kind", "in", scope.kinds)
          .where("bucket_at", ">=", from)
          .where("bucket_at", "<", to),
  );
  if (first === undefined) return [];
  return more.reduce((all, next) => all.unionAll(next), first).execute();
}

/** Task rows by state: the folded counters plus the pending changes. One statement, so that each is counted once. */
export async function taskCounts(db: BrainDatabase, projectId: string): Promise<Record<string, number>> {
  const folded = db.read.selectFrom("task_counts").select(["state", "count"]).where("project_id", "=", projectId);
  const waiting = db.read
    .selectFrom("counter_deltas")
    .select(["kind as state", "count"])
    .where("project_id", "=", projectId)
    // Must match the partial index.
    .where(sql<boolean>`counter = 'state'`);
  const rows = await db.read
    .selectFrom(folded.unionAll(waiting).as("counted"))
    .select(["state", (eb) => eb.fn.sum<number | string>("count").as("count")])
    .groupBy("state")
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Math.max(0, Number(count))]));
}

/** Rows of a table by state, excluding revoked agents. */
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
    // As a separate condition and as text, because SQLite would otherwise read all commands of the project instead of the few open ones.
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

/** Whether the counters include every stored event; folding lags by about a second. */
export async function isCounted({ read }: Pick<BrainDatabase, "read">): Promise<boolean> {
  return (await read.selectFrom("counter_deltas").select("seq").limit(1).executeTakeFirst()) === undefined;
}
