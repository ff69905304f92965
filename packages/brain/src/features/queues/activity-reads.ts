import type { BrainDatabase, RollupRow } from "../../schema/tables/index.ts";
import { isTotal } from "../stats/index.ts";

/** Ids and names of a project's queues by (engine, name), at most `limit`, optionally only those matching `only`. */
export function queueKeys(
  db: BrainDatabase,
  projectId: string,
  { limit, only }: { limit: number; only: { engine?: string; name?: string } },
) {
  const { engine, name } = only;
  return db.read
    .selectFrom("queues")
    .select(["id", "engine", "name"])
    .where("project_id", "=", projectId)
    .$if(engine !== undefined, (query) => query.where("engine", "=", engine ?? ""))
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    .orderBy("engine")
    .orderBy("name")
    .limit(limit)
    .execute();
}

/** Those of the names that exist in more than one engine. */
export async function sharedQueueNames(
  db: BrainDatabase,
  projectId: string,
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.read
    .selectFrom("queues")
    .select("name")
    .where("project_id", "=", projectId)
    .where("name", "in", names)
    .groupBy("name")
    .having((eb) => eb.fn.countAll<number>(), ">", 1)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

interface MinuteRange {
  readonly from: Date;
  readonly to: Date;
  readonly kinds: readonly string[];
}

/** Events of queues by kind whose minute begins in [from, to), from the totals per queue, which have no engine. */
export async function totalsOfQueues(
  db: BrainDatabase,
  projectId: string,
  { names, from, to, kinds }: MinuteRange & { names: readonly string[] },
): Promise<Pick<RollupRow, "queue" | "kind" | "count">[]> {
  if (names.length === 0) return [];
  const rows = await db.slow
    .selectFrom("rollups")
    .select(["queue", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
    .where("project_id", "=", projectId)
    .where("queue", "in", names)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where(isTotal)
    .groupBy(["queue", "kind"])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** The same by engine, from the rows per task name, of which each minute has as many as names. */
export async function countsOfQueues(
  db: BrainDatabase,
  projectId: string,
  { names, from, to, kinds }: MinuteRange & { names: readonly string[] },
): Promise<Pick<RollupRow, "engine" | "queue" | "kind" | "count">[]> {
  if (names.length === 0) return [];
  const rows = await db.slow
    .selectFrom("rollups")
    .select(["engine", "queue", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
    .where("project_id", "=", projectId)
    .where("queue", "in", names)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where("kind", "in", kinds)
    .where("engine", "<>", "")
    .groupBy(["engine", "queue", "kind"])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Depth cells of queues by id that begin at `from` or later. */
export async function depthsOfQueues(
  db: BrainDatabase,
  projectId: string,
  { from, ids }: { from: Date; ids: readonly string[] },
): Promise<{ queue_id: string; cell_at: Date; pending_count: number }[]> {
  if (ids.length === 0) return [];
  return db.slow
    .selectFrom("queue_depths")
    .select(["queue_id", "cell_at", "pending_count"])
    .where("project_id", "=", projectId)
    .where("queue_id", "in", ids)
    .where("cell_at", ">=", from)
    .execute();
}

/** Depth cells of one queue that begin in [from, to], oldest first. */
export function depthsOfQueue(
  db: BrainDatabase,
  projectId: string,
  { id, from, to }: { id: string; from: Date; to: Date },
) {
  return db.read
    .selectFrom("queue_depths")
    .select(["cell_at", "pending_count", "consumer_count"])
    .where("project_id", "=", projectId)
    .where("queue_id", "=", id)
    .where("cell_at", ">=", from)
    .where("cell_at", "<=", to)
    .orderBy("cell_at")
    .execute();
}
