import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Tables, WorkerRow } from "../../schema/tables/index.ts";
import { unseenRows } from "../queues/index.ts";

/** What was reported about an engine's worker since the last write. */
export interface WorkerNote {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  lastHeartbeat: Date;
  /** Null when only events named the worker. */
  details: WorkerDetails | null;
}

export type WorkerDetails = { readonly at: Date } & Pick<
  WorkerRow,
  "hostname" | "pid" | "concurrency" | "queues" | "load_average" | "memory_bytes" | "active_tasks" | "metadata"
>;

const given = (column: string) => sql.ref(`excluded.${column}`);

/** A known worker keeps its value when the note has no details, or older ones. */
const takeDetails = <T>(column: string): RawBuilder<T> =>
  sql<T>`CASE WHEN ${given("details_at")} IS NOT NULL AND (workers.details_at IS NULL OR ${given("details_at")} >= workers.details_at)
    THEN ${given(column)} ELSE ${sql.ref(`workers.${column}`)} END`;

/**
 * Writes notes, at most one per worker and in lock order; older details change nothing. A touch marks a worker online only when it is later
 * than the event that last set the state. Returns the rows.
 */
export async function writeWorkerNotes(
  tx: Tx<Tables>,
  notes: readonly WorkerNote[],
  { now, newId }: { now: Date; newId: () => string },
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
        details_at: details?.at ?? null,
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["project_id", "engine", "name"]).doUpdateSet({
        hostname: takeDetails("hostname"),
        pid: takeDetails("pid"),
        concurrency: takeDetails("concurrency"),
        queues: takeDetails("queues"),
        state: sql<string>`CASE WHEN workers.state_at IS NULL OR ${given("last_heartbeat")} > workers.state_at
          THEN 'online' ELSE workers.state END`,
        last_heartbeat: sql<Date>`CASE WHEN workers.last_heartbeat IS NULL OR ${given("last_heartbeat")} > workers.last_heartbeat
          THEN ${given("last_heartbeat")} ELSE workers.last_heartbeat END`,
        load_average: takeDetails("load_average"),
        memory_bytes: takeDetails("memory_bytes"),
        active_tasks: takeDetails("active_tasks"),
        metadata: takeDetails("metadata"),
        details_at: takeDetails("details_at"),
        updated_at: now,
      }),
    )
    .returning(["project_id", "id"])
    .execute();
}

/**
 * Marks workers offline that were last reported before `cutoff`; returns them. They are locked in the order in which notes and ingest write
 * workers, so that this does not deadlock with a fleet that comes back all at once.
 */
export function takeSilentOffline(
  tx: Tx<Tables>,
  { cutoff, now }: { cutoff: Date; now: Date },
): Promise<{ project_id: string; id: string }[]> {
  const silent = tx
    .selectFrom("workers")
    .select("id")
    .where("state", "=", "online")
    .where((eb) => eb(eb.fn.coalesce("last_heartbeat", "updated_at"), "<", cutoff))
    .orderBy("project_id")
    .orderBy("engine")
    .orderBy("name");
  return tx
    .with("silent", () => silent.forUpdate())
    .updateTable("workers")
    .set({ state: "offline", updated_at: now })
    .where("id", "in", (eb) => eb.selectFrom("silent").select("silent.id"))
    .returning(["project_id", "id"])
    .execute();
}

/** Offline workers by when they were last named. */
export const unseenWorkers = unseenRows("workers", "last_heartbeat", sql`state <> 'online'`);
