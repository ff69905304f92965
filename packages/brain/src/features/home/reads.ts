import { sql } from "kysely";
import type { Db, NameRollupRow } from "../../schema/tables/index.ts";

type Ids = readonly string[];

// One statement each for all projects of a page, each through an index that leads with the project; none reads stored tasks or events.

export type EndCount = Pick<NameRollupRow, "project_id" | "kind" | "bucket_at" | "count">;

/** Events of these kinds by project and hour, in hours that start at `from` or later. */
export const countsByHour = (slow: Db, ids: Ids, kinds: readonly string[], from: Date): Promise<EndCount[]> =>
  slow
    .selectFrom("name_rollups")
    .select(["project_id", "kind", "bucket_at", "count"])
    .where("project_id", "in", ids)
    .where("grain_minutes", "=", 60)
    // The empty name holds the whole project.
    .where("name", "=", "")
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .execute();

/** Events of these kinds by project, in the minutes from `from` (inclusive) to `to` (exclusive), within the last 48 h. */
export const countsOfMinutes = (
  slow: Db,
  ids: Ids,
  kinds: readonly string[],
  { from, to }: { from: Date; to: Date },
): Promise<Omit<EndCount, "bucket_at">[]> =>
  slow
    .selectFrom("rollups")
    .select(["project_id", "kind", (eb) => eb.fn.sum<number>("count").as("count")])
    .where("project_id", "in", ids)
    .where("queue", "=", "")
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    // As text, to match the index of totals: SQLite uses a partial index only then.
    .where(sql<boolean>`engine = ''`)
    .groupBy(["project_id", "kind"])
    .execute();

/** Unrevoked agents by project and state; `seen` counts those that connected at least once. */
export const agentStatesByProject = (slow: Db, ids: Ids) =>
  slow
    .selectFrom("agents")
    .select((eb) => [
      "project_id",
      "state",
      eb.fn.countAll<number>().as("count"),
      eb.fn.count<number>(eb.fn.coalesce("last_seen_at", "last_connect_at")).as("seen"),
      eb.fn.min("name").as("first_name"),
      eb.fn.min<Date | null>("last_seen_at").as("silent_at"),
    ])
    .where("project_id", "in", ids)
    .where("revoked_at", "is", null)
    .groupBy(["project_id", "state"])
    .execute();

export const workerStatesByProject = (slow: Db, ids: Ids) =>
  slow
    .selectFrom("workers")
    .select((eb) => ["project_id", "state", eb.fn.countAll<number>().as("count")])
    .where("project_id", "in", ids)
    .groupBy(["project_id", "state"])
    .execute();

/** Waiting tasks in the queues of each project, as last reported, and how many queues have waiting tasks but no worker. */
export const backlogs = (slow: Db, ids: Ids) =>
  slow
    .selectFrom("queues")
    .select((eb) => [
      "project_id",
      eb.fn.sum<number>("pending_count").as("count"),
      eb.fn
        .countAll<number>()
        .filterWhere("pending_count", ">", 0)
        .filterWhere("consumer_count", "=", 0)
        // Without a report, 0 has no meaning.
        .filterWhere("consumers_reported_at", "is not", null)
        .as("without_workers"),
    ])
    .where("project_id", "in", ids)
    .groupBy("project_id")
    .execute();

/** Commands that have been open for more than half of their time limit. */
export const stuckCommands = (slow: Db, ids: Ids, now: Date) =>
  slow
    // As a separate condition and as text, because SQLite would otherwise read all commands of the projects instead of the few open ones.
    .with(
      (cte) => cte("open_commands").materialized(),
      (open) =>
        open
          .selectFrom("commands")
          .select(["project_id", "issued_at", "timeout_at"])
          .where(sql<boolean>`status IN ('pending', 'dispatched')`),
    )
    .selectFrom("open_commands")
    .select((eb) => ["project_id", eb.fn.countAll<number>().as("count")])
    .where("project_id", "in", ids)
    .where(sql<boolean>`issued_at + (timeout_at - issued_at) / 2 < ${now}`)
    .groupBy("project_id")
    .execute();

/** When each project was last active: the newest minute (the hour when it is more than 48 h ago) with stored events. */
export const lastActivity = (slow: Db, ids: Ids) =>
  slow
    .selectFrom("projects as p")
    .select((eb) => [
      "p.id as project_id",
      eb
        .selectFrom("rollups as r")
        .select((of) => of.fn.max<Date | null>("r.bucket_at").as("newest"))
        .whereRef("r.project_id", "=", "p.id")
        .as("last_activity_at"),
    ])
    .where("p.id", "in", ids)
    .execute();
