import type { Database } from "../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";

/** Where a walk over the tasks of a project and state stands. */
export interface TaskPosition {
  readonly receivedAt: Date;
  readonly id: string;
}

export interface StaleQuery {
  readonly projectId: string;
  readonly state: string;
  readonly engines: readonly string[];
  /** Stale is what started, else was first seen, before this. */
  readonly cutoff: Date;
  /** A task with a later eta waits for it. */
  readonly now: Date;
  readonly after: TaskPosition | null;
  /** Rows that are looked at. */
  readonly scanRows: number;
}

export type StaleTask = Pick<TaskRow, "id" | "engine" | "task_id" | "received_at">;

type Slow = Pick<Database<Tables>, "slow">;

/** The rows that are looked at: of the project and state, seen first before the cutoff, which no stale task was after. */
const scanned = ({ slow }: Slow, { projectId, state, cutoff, after, scanRows }: StaleQuery) =>
  slow
    .selectFrom("tasks")
    .select(["id", "engine", "task_id", "received_at", "started_at", "eta"])
    .where("project_id", "=", projectId)
    .where("state", "=", state)
    .where("received_at", "<", cutoff)
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb(eb.refTuple("received_at", "id"), ">", eb.tuple(after?.receivedAt as Date, after?.id as string)),
      ),
    )
    .orderBy("received_at")
    .orderBy("id")
    .limit(scanRows);

/** Stale tasks of the engines, those seen first first. */
export const staleTasks = (db: Slow, query: StaleQuery, limit: number): Promise<StaleTask[]> =>
  db.slow
    .selectFrom(scanned(db, query).as("t"))
    .select(["t.id", "t.engine", "t.task_id", "t.received_at"])
    .where("t.engine", "in", query.engines)
    .where((eb) => eb(eb.fn.coalesce("t.started_at", "t.received_at"), "<", query.cutoff))
    .where((eb) => eb.or([eb("t.eta", "is", null), eb("t.eta", "<=", query.now)]))
    .orderBy("t.received_at")
    .orderBy("t.id")
    .limit(limit)
    .execute();

/** The last row that is looked at; undefined when there are fewer than may be. */
export const scanEnd = (db: Slow, query: StaleQuery): Promise<Pick<TaskRow, "id" | "received_at"> | undefined> =>
  scanned(db, query)
    .clearSelect()
    .select(["id", "received_at"])
    .limit(1)
    .offset(query.scanRows - 1)
    .executeTakeFirst();

export type TaskNow = Pick<TaskRow, "id" | "state" | "attempt" | "fold">;

export const findTask = (
  { read }: Pick<Database<Tables>, "read">,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
): Promise<TaskNow | undefined> =>
  read
    .selectFrom("tasks")
    .select(["id", "state", "attempt", "fold"])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
