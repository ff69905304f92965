import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { contains } from "../../platform/database/text-match.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import { type Lineage, noLineage, type PublicTaskRow, publicColumns } from "./task-public.ts";

type Db = Database<Tables>;

export interface Position {
  readonly receivedAt: Date;
  readonly id: string;
}

/** The conditions of a filter, all of which hold. */
function conditions(db: Db, eb: ExpressionBuilder<Tables, "tasks">, filter: TaskFilter): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  if (filter.state !== undefined) all.push(eb("state", "=", filter.state));
  if (filter.priorities !== undefined) all.push(eb("priority", "in", filter.priorities));
  if (filter.queue !== undefined) all.push(eb("queue", "=", filter.queue));
  if (filter.worker !== undefined) all.push(eb("worker_name", "=", filter.worker));
  if (filter.since !== undefined) all.push(eb("received_at", ">=", filter.since));
  if (filter.until !== undefined) all.push(eb("received_at", "<=", filter.until));
  if (filter.name !== undefined) all.push(contains(db.dialect, eb.ref("name"), filter.name));
  if (filter.search !== undefined) {
    const needle = filter.search;
    const holds = (column: "name" | "queue" | "worker_name" | "task_id") =>
      contains(db.dialect, sql<string>`lower(${eb.ref(column)})`, needle);
    all.push(eb.or([holds("name"), holds("queue"), holds("worker_name"), holds("task_id")]));
  }
  return all;
}

function matching(
  db: Db,
  projectId: string,
  filter: TaskFilter,
): SelectQueryBuilder<Tables, "tasks", Record<never, never>> {
  const reads = filter.name === undefined && filter.search === undefined ? db.read : db.slow;
  return reads
    .selectFrom("tasks")
    .where("project_id", "=", projectId)
    .where((eb) => eb.and(conditions(db, eb, filter)));
}

/** The rows after `position`, newest received first, at most `limit`. */
export function listTasks(
  db: Db,
  projectId: string,
  filter: TaskFilter,
  page: { after: Position | null; limit: number },
): Promise<PublicTaskRow[]> {
  let query = matching(db, projectId, filter).select(publicColumns);
  const { after } = page;
  if (after !== null) {
    query = query.where((eb) => eb(eb.refTuple("received_at", "id"), "<", eb.tuple(after.receivedAt, after.id)));
  }
  return query.orderBy("received_at", "desc").orderBy("id", "desc").limit(page.limit).execute();
}

/** How many tasks match; the whole match is counted. */
export async function countTasks(db: Db, projectId: string, filter: TaskFilter): Promise<number> {
  const { count } = await matching({ ...db, read: db.slow }, projectId, filter)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many tasks match, counting no further than `cap` + 1. */
export async function countTasksUpTo(db: Db, projectId: string, filter: TaskFilter, cap: number): Promise<number> {
  const { count } = await db.slow
    .selectFrom(
      matching({ ...db, read: db.slow }, projectId, filter)
        .select("id")
        .limit(cap + 1)
        .as("some"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Ids of matching tasks in UUID order, at most `limit`. */
export async function idsMatching(db: Db, projectId: string, filter: TaskFilter, limit: number): Promise<string[]> {
  const rows = await matching({ ...db, read: db.slow }, projectId, filter)
    .select("id")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

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

/** Rows by id, for the dashboard hub; ids of other projects are passed over. */
export const tasksById = (db: Db, projectId: string, ids: readonly string[]): Promise<PublicTaskRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.read
        .selectFrom("tasks")
        .select(publicColumns)
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

/** The root itself and every task that names it as root, by (received_at, task_id). */
export async function familyOf(
  db: Db,
  projectId: string,
  engine: string,
  rootId: string,
  limit: number,
): Promise<FamilyMember[]> {
  const ofProject = db.read.selectFrom("tasks").select(familyColumns).where("project_id", "=", projectId);
  const [root, members] = await Promise.all([
    ofProject.where("engine", "=", engine).where("task_id", "=", rootId).execute(),
    ofProject.where("root_task_id", "=", rootId).orderBy("received_at").orderBy("task_id").limit(limit).execute(),
  ]);
  const isRoot = (member: FamilyMember) =>
    root.some((row) => row.engine === member.engine && row.task_id === member.task_id);
  return [...root, ...members.filter((member) => !isRoot(member))].sort(byTime).slice(0, limit);
}

const byTime = (a: FamilyMember, b: FamilyMember) =>
  a.received_at.getTime() - b.received_at.getTime() || (a.task_id < b.task_id ? -1 : a.task_id > b.task_id ? 1 : 0);

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
