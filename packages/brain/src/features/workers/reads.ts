import { finishedKinds, parseJson } from "@svc/protocol";
import { hours } from "../../platform/durations.ts";
import type { BrainDatabase, WorkerRow } from "../../schema/tables/index.ts";

/** Start of the last 24 h: the current UTC hour and the 24 full hours before it. */
const countersSince = (now: Date): Date => new Date(Math.floor(now.getTime() / hours(1)) * hours(1) - hours(24));

const ofProject = (db: BrainDatabase, projectId: string) =>
  db.read.selectFrom("workers").selectAll().where("project_id", "=", projectId);

/** Engine workers of a project by (engine, name), after the worker with the id `after`, at most `limit`; from the start when it does not exist. */
export async function listWorkers(
  db: BrainDatabase,
  projectId: string,
  page: { after: string | null; limit: number; now: Date },
) {
  const after = page.after === null ? undefined : await positionOf(db, projectId, page.after);
  const rows = await ofProject(db, projectId)
    .$if(after !== undefined, (query) =>
      query.where((eb) => eb(eb.refTuple("engine", "name"), ">", eb.tuple(after?.engine ?? "", after?.name ?? ""))),
    )
    .orderBy("engine")
    .orderBy("name")
    .limit(page.limit)
    .execute();
  return withCounters(db, projectId, rows, page.now);
}

const positionOf = (db: BrainDatabase, projectId: string, id: string) =>
  db.read
    .selectFrom("workers")
    .select(["engine", "name"])
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();

/** Workers by id, for one page and for the dashboard hub. */
export async function workersById(db: BrainDatabase, projectId: string, ids: readonly string[], now: Date) {
  if (ids.length === 0) return [];
  const rows = await ofProject(db, projectId).where("id", "in", ids).execute();
  return withCounters(db, projectId, rows, now);
}

/** The counters of all rows in one statement. */
async function withCounters(db: BrainDatabase, projectId: string, rows: readonly WorkerRow[], now: Date) {
  const counts = new Map<string, number>();
  if (rows.length > 0) {
    const sums = await db.read
      .selectFrom("worker_rollups")
      .select(["engine", "worker", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
      .where("project_id", "=", projectId)
      // Without the engine, which comes first in the key, all hours of the project would be scanned.
      .where("engine", "in", [...new Set(rows.map(({ engine }) => engine))])
      .where("worker", "in", [...new Set(rows.map(({ name }) => name))])
      .where("hour_at", ">=", countersSince(now))
      .groupBy(["engine", "worker", "kind"])
      .execute();
    for (const { engine, worker, kind, count } of sums)
      counts.set(`${engine}\u0000${worker}\u0000${kind}`, Number(count));
  }
  return rows.map((row) => {
    const of = (kind: string) => counts.get(`${row.engine}\u0000${row.name}\u0000${kind}`) ?? 0;
    const failed = of("task.failed");
    const succeeded = of("task.succeeded");
    return {
      id: row.id,
      project_id: row.project_id,
      engine: row.engine,
      name: row.name,
      hostname: row.hostname,
      pid: row.pid,
      concurrency: row.concurrency,
      queues: parseJson(row.queues) as string[],
      state: row.state as "online" | "offline" | "draining" | "unknown",
      state_reported_at: row.state_at,
      last_heartbeat: row.last_heartbeat,
      load_average: row.load_average,
      memory_bytes: row.memory_bytes,
      active_tasks: row.active_tasks,
      processed: finishedKinds.reduce((sum, kind) => sum + of(kind), 0),
      failed,
      succeeded,
      retried: of("task.retried"),
      created_at: row.created_at,
      metadata: parseJson(row.metadata) as Record<string, unknown>,
    };
  });
}

/** Number of workers of the project by state. */
export async function workerCounts(db: BrainDatabase, projectId: string): Promise<{ online: number; offline: number }> {
  const rows = await db.read
    .selectFrom("workers")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .groupBy("state")
    .execute();
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { online: of("online"), offline: of("offline") };
}

/** Number of online workers by slug, for at most `limit` active projects with workers; 0 when none is online. */
export async function workersOnline(
  { slow }: Pick<BrainDatabase, "slow">,
  limit: number,
): Promise<{ slug: string; count: number }[]> {
  const rows = await slow
    .selectFrom("workers as w")
    .innerJoin("projects as p", "p.id", "w.project_id")
    .select(["p.slug", (eb) => eb.fn.countAll<number>().filterWhere("w.state", "=", "online").as("count")])
    .where("p.is_active", "=", true)
    .groupBy("p.slug")
    .orderBy("p.slug")
    .limit(limit)
    .execute();
  return rows.map(({ slug, count }) => ({ slug, count: Number(count) }));
}
