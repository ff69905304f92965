import type { Database } from "../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";
import {
  type ChangedTaskRow,
  changedColumns,
  type Lineage,
  noLineage,
  type PublicTaskRow,
  publicColumns,
} from "./task-public.ts";

type Db = Database<Tables>;

export async function findTask(
  db: Db,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
): Promise<PublicTaskRow | null> {
  const row = await db.read
    .selectFrom("tasks")
    .select(publicColumns)
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
  return row ?? null;
}

/** What the dashboard hub sends of tasks, by id; ids of other projects are passed over. */
export const changedRows = (db: Db, projectId: string, ids: readonly string[]): Promise<ChangedTaskRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.read
        .selectFrom("tasks")
        .select(changedColumns)
        .where("id", "in", ids)
        .where("project_id", "=", projectId)
        .execute();

export type FamilyMember = Pick<
  TaskRow,
  | "engine"
  | "task_id"
  | "name"
  | "state"
  | "parent_task_id"
  | "root_task_id"
  | "received_at"
  | "started_at"
  | "finished_at"
>;

const familyColumns = [
  "engine",
  "task_id",
  "name",
  "state",
  "parent_task_id",
  "root_task_id",
  "received_at",
  "started_at",
  "finished_at",
] as const;

/** Every task that names `rootId` as its root, of whichever engine, by (received_at, task_id), `limit` at most. */
export const tasksOfRoot = (db: Db, projectId: string, rootId: string, limit: number): Promise<FamilyMember[]> =>
  db.slow
    .selectFrom("tasks")
    .select(familyColumns)
    .where("project_id", "=", projectId)
    .where("root_task_id", "=", rootId)
    .orderBy("received_at")
    .orderBy("task_id")
    .limit(limit)
    .execute();

/** The tasks with this id in the given engines. */
export const tasksNamed = (
  db: Db,
  { projectId, engines, taskId }: { projectId: string; engines: readonly string[]; taskId: string },
): Promise<FamilyMember[]> =>
  engines.length === 0
    ? Promise.resolve([])
    : db.read
        .selectFrom("tasks")
        .select(familyColumns)
        .where("project_id", "=", projectId)
        .where("engine", "in", engines)
        .where("task_id", "=", taskId)
        .execute();

interface TaskAddress {
  readonly engine: string;
  readonly task_id: string;
}

/** Retry lineage of the tasks of one page: two look-ups, whatever their number. Keyed by `addressKey`. */
export async function lineageOf(
  db: Db,
  projectId: string,
  tasks: readonly TaskAddress[],
): Promise<ReadonlyMap<string, Lineage>> {
  if (tasks.length === 0) return new Map();
  const ids = [...new Set(tasks.map(({ task_id }) => task_id))];
  const links = db.read
    .selectFrom("task_links")
    .select(["engine", "new_id", "old_id", "linked_at"])
    .where("project_id", "=", projectId);
  const [toThem, fromThem] = await Promise.all([
    links.where("new_id", "in", ids).execute(),
    links.where("old_id", "in", ids).orderBy("linked_at").orderBy("new_id").execute(),
  ]);
  const lineage = new Map<string, Lineage>();
  const known = (engine: string, taskId: string) => lineage.get(addressKey({ engine, task_id: taskId })) ?? noLineage;
  for (const { engine, new_id, old_id } of toThem) {
    if (new_id !== old_id)
      lineage.set(addressKey({ engine, task_id: new_id }), { ...known(engine, new_id), retry_of: old_id });
  }
  // In order of (linked_at, new_id): the last one seen is the latest.
  for (const { engine, new_id, old_id } of fromThem) {
    if (new_id !== old_id)
      lineage.set(addressKey({ engine, task_id: old_id }), { ...known(engine, old_id), retried_as: new_id });
  }
  return lineage;
}

export const addressKey = ({ engine, task_id }: TaskAddress): string => `${engine}\u0000${task_id}`;
