import type { Tx } from "../../../platform/database/database.ts";
import { isAmong } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db, PendingFireRow, Tables } from "../../../schema/tables/index.ts";

/** A project and an engine for which fires wait. */
export type WaitingTarget = Pick<PendingFireRow, "project_id" | "engine">;

/** A fire that waits, without its arguments. */
export type WaitingRef = Pick<PendingFireRow, "fire_id" | "schedule_id">;

/**
 * The first target after another one, by project and engine; of one project if it is given. Its `active_id` is null if its project is archived.
 * One place in an index, however many fires wait.
 */
export const nextTarget = (
  db: Db,
  projectId: string | null,
  after: WaitingTarget | null,
): Promise<(WaitingTarget & { readonly active_id: string | null }) | undefined> =>
  db
    .selectFrom("pending_fires as w")
    .leftJoin("projects as p", (join) => join.onRef("p.id", "=", "w.project_id").on("p.is_active", "=", true))
    .select(["w.project_id", "w.engine", "p.id as active_id"])
    .$if(projectId !== null, (query) => query.where("w.project_id", "=", projectId as string))
    .$if(after !== null, (query) =>
      query.where((eb) => eb(eb.refTuple("w.project_id", "w.engine"), ">", eb.tuple(after!.project_id, after!.engine))),
    )
    .orderBy("w.project_id")
    .orderBy("w.engine")
    .limit(1)
    .executeTakeFirst();

/** The waiting fires of a target with the oldest slots. */
export const oldestWaiting = (db: Db, target: WaitingTarget, limit: number): Promise<WaitingRef[]> =>
  db
    .selectFrom("pending_fires")
    .select(["fire_id", "schedule_id"])
    .where("project_id", "=", target.project_id)
    .where("engine", "=", target.engine)
    .orderBy("scheduled_for")
    .orderBy("fire_id")
    .limit(limit)
    .execute();

/** Expired fires of all projects, those that expired first. */
export const oldestExpired = (db: Db, now: Date, limit: number): Promise<WaitingRef[]> =>
  db
    .selectFrom("pending_fires")
    .select(["fire_id", "schedule_id"])
    .where("expires_at", "<=", now)
    .orderBy("expires_at")
    .limit(limit)
    .execute();

/** Those of the fires that still wait, in the order of their slots, locked until the end of the transaction. */
export async function lockWaiting(tx: Tx<Tables>, fires: readonly WaitingRef[]): Promise<PendingFireRow[]> {
  const ids = fires.map(({ fire_id }) => fire_id);
  return tx
    .selectFrom("pending_fires")
    .selectAll()
    .where(isAmong("fire_id", "uuid", ids))
    .orderBy("scheduled_for")
    .orderBy("fire_id")
    .forUpdate()
    .execute();
}

/** The newest slot of each schedule that waits under its current definition and has not expired, by schedule. */
export async function newestWaiting(
  tx: Tx<Tables>,
  scheduleIds: readonly string[],
  now: Date,
): Promise<Map<string, Date>> {
  if (scheduleIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("schedules as s")
    .select((eb) => [
      "s.id",
      eb
        .selectFrom("pending_fires as w")
        .select("w.scheduled_for")
        .whereRef("w.schedule_id", "=", "s.id")
        .whereRef("w.definition_digest", "=", "s.definition_digest")
        .where("w.expires_at", ">", now)
        .orderBy("w.scheduled_for", "desc")
        .limit(1)
        .as("scheduled_for"),
    ])
    .where(isAmong("s.id", "uuid", scheduleIds))
    .execute();
  return new Map(rows.flatMap(({ id, scheduled_for: at }): [string, Date][] => (at === null ? [] : [[id, at]])));
}

/** Those of the schedules whose fires of the current definition wait. */
export async function withWaitingFires(
  tx: Tx<Tables>,
  scheduleIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  return new Set((await newestWaiting(tx, scheduleIds, now)).keys());
}
