import { parseJson } from "@svc/protocol";
import type { BrainDatabase } from "../../schema/tables/index.ts";

const columns = [
  "id",
  "project_id",
  "name",
  "engine",
  "broker_type",
  "broker_url_hint",
  "last_seen_at",
  "pending_count",
  "consumer_count",
  "oldest_waiting_since",
  "depth_reported_at",
  "consumers_reported_at",
  "metadata",
  "created_at",
] as const;

const ofProject = (db: BrainDatabase, projectId: string) =>
  db.read.selectFrom("queues").select(columns).where("project_id", "=", projectId);

const shown = <Row extends { metadata: string }>(row: Row) => ({
  ...row,
  metadata: parseJson(row.metadata) as Record<string, unknown>,
});

/** Queues of a project by (engine, name), after the queue with the id `after`, at most `limit`; from the start when it does not exist. */
export async function listQueues(db: BrainDatabase, projectId: string, page: { after: string | null; limit: number }) {
  const after = page.after === null ? undefined : await positionOf(db, projectId, page.after);
  const rows = await ofProject(db, projectId)
    .$if(after !== undefined, (query) =>
      query.where((eb) => eb(eb.refTuple("engine", "name"), ">", eb.tuple(after?.engine ?? "", after?.name ?? ""))),
    )
    .orderBy("engine")
    .orderBy("name")
    .limit(page.limit)
    .execute();
  return rows.map(shown);
}

const positionOf = (db: BrainDatabase, projectId: string, id: string) =>
  db.read
    .selectFrom("queues")
    .select(["engine", "name"])
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();

/** Queues by id, for the dashboard hub. */
export async function queuesById(db: BrainDatabase, projectId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await ofProject(db, projectId).where("id", "in", ids).execute();
  return rows.map(shown);
}

/** One queue by engine and name; undefined when there is none. */
export async function queueNamed(db: BrainDatabase, projectId: string, queue: { engine: string; name: string }) {
  const row = await ofProject(db, projectId)
    .where("engine", "=", queue.engine)
    .where("name", "=", queue.name)
    .executeTakeFirst();
  return row && shown(row);
}
