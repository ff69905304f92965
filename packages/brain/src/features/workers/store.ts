import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** What was heard of an engine's worker since the last write. */
export interface WorkerNote {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  lastHeartbeat: Date;
  /** Null when only events named it. */
  details: WorkerDetails | null;
}

export interface WorkerDetails {
  readonly at: Date;
  readonly hostname: string | null;
  readonly pid: number | null;
  readonly concurrency: number | null;
  /** JSON array of names. */
  readonly queues: string;
  readonly load_average: number | null;
  readonly memory_bytes: number | null;
  readonly active_tasks: number;
  /** JSON object. */
  readonly metadata: string;
}

const given = (column: string) => sql.ref(`excluded.${column}`);

/** A known worker keeps what a note without details does not tell. */
const takeDetails = <T>(hasDetails: boolean, column: string): RawBuilder<T> =>
  hasDetails ? sql<T>`${given(column)}` : sql<T>`${sql.ref(`workers.${column}`)}`;

/**
 * Writes notes that all have details or all have none, at most one per worker and in lock order. A touch brings a worker online only
 * when its time is later than the event that last set its state. Gives the rows.
 */
export async function writeWorkerNotes(
  tx: Tx<Tables>,
  notes: readonly WorkerNote[],
  { now, newId, hasDetails }: { now: Date; newId: () => string; hasDetails: boolean },
): Promise<{ project_id: string; id: string }[]> {
  return tx
    .insertInto("workers")
    .values(
      notes.map(({ projectId, engine, name, lastHeartbeat, details }) => ({
        id: newId(),
        project_id: projectId,
        engine,
        name,
        hostname: details?.hostname ?? null,
        pid: details?.pid ?? null,
        concurrency: details?.concurrency ?? null,
        queues: details?.queues ?? "[]",
        state: "online",
        state_key: null,
        state_at: null,
        last_heartbeat: lastHeartbeat,
        load_average: details?.load_average ?? null,
        memory_bytes: details?.memory_bytes ?? null,
        active_tasks: details?.active_tasks ?? 0,
        metadata: details?.metadata ?? "{}",
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["project_id", "engine", "name"]).doUpdateSet({
        hostname: takeDetails(hasDetails, "hostname"),
        pid: takeDetails(hasDetails, "pid"),
        concurrency: takeDetails(hasDetails, "concurrency"),
        queues: takeDetails(hasDetails, "queues"),
        state: sql<string>`CASE WHEN workers.state_at IS NULL OR ${given("last_heartbeat")} > workers.state_at
          THEN 'online' ELSE workers.state END`,
        last_heartbeat: sql<Date>`CASE WHEN workers.last_heartbeat IS NULL OR ${given("last_heartbeat")} > workers.last_heartbeat
          THEN ${given("last_heartbeat")} ELSE workers.last_heartbeat END`,
        load_average: takeDetails(hasDetails, "load_average"),
        memory_bytes: takeDetails(hasDetails, "memory_bytes"),
        active_tasks: takeDetails(hasDetails, "active_tasks"),
        metadata: takeDetails(hasDetails, "metadata"),
        updated_at: now,
      }),
    )
    .returning(["project_id", "id"])
    .execute();
}

/** Takes workers offline that were last heard of before `cutoff`, and gives them. */
export const takeSilentOffline = (
  tx: Tx<Tables>,
  cutoff: Date,
  now: Date,
): Promise<{ project_id: string; id: string }[]> =>
  tx
    .updateTable("workers")
    .set({ state: "offline", updated_at: now })
    .where("state", "=", "online")
    .where((eb) => eb(eb.fn.coalesce("last_heartbeat", "updated_at"), "<", cutoff))
    .returning(["project_id", "id"])
    .execute();
