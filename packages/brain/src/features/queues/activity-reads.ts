import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

type Db = Database<Tables>;

export interface QueueName {
  readonly engine: string;
  readonly name: string;
}

/** Ids and names of a project's queues by (engine, name), at most `limit`; of `only` alone when it is given. */
export function queueKeys(db: Db, projectId: string, { limit, only }: { limit: number; only: Partial<QueueName> }) {
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

export interface QueueKindCount {
  readonly engine: string;
  readonly queue: string;
  readonly kind: string;
  readonly count: number;
}

/** Events by queue and kind whose minute begins in [from, to), from the rollups; `only` narrows. */
export async function queueKindCounts(
  db: Db,
  projectId: string,
  range: { from: Date; to: Date; kinds: readonly string[]; only: Partial<QueueName> },
): Promise<QueueKindCount[]> {
  const { from, to, kinds, only } = range;
  const rows = await db.slow
    .selectFrom("rollups")
    .select(["engine", "queue", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
    .where("project_id", "=", projectId)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .where("kind", "in", kinds)
    // The rows without an engine are totals of the project.
    .where("engine", "<>", "")
    .$if(only.engine !== undefined, (query) => query.where("engine", "=", only.engine ?? ""))
    .$if(only.name !== undefined, (query) => query.where("queue", "=", only.name ?? ""))
    .groupBy(["engine", "queue", "kind"])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Depths of queues by id, whose cell begins at `from` or later. */
export async function depthsOfQueues(
  db: Db,
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

/** Cells of one queue that begin in [from, to], oldest first. */
export function depthsOfQueue(db: Db, projectId: string, { id, from, to }: { id: string; from: Date; to: Date }) {
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
