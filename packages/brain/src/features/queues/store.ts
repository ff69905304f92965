import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { jsonWithMemberOf } from "../../platform/database/dialects/expressions/json-columns.ts";
import type { QueueRow, Tables } from "../../schema/tables/index.ts";

/** Why a queue does not start tasks, stored in its metadata. Instants are ISO 8601 in UTC with milliseconds. */
export interface StoredHold {
  readonly paused?: true;
  /** First report of the current pause. */
  readonly paused_since?: string;
  readonly limited_until?: string;
}

/** What was reported about a queue since the last write; null for missing reports. */
export interface QueueNote {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  lastSeenAt: Date;
  /** `hold` is null when nothing holds the queue. */
  depth: { readonly count: number; readonly at: Date; hold: StoredHold | null } | null;
  consumers: { readonly count: number; readonly at: Date } | null;
  /** A depth report without it means that nothing waits. */
  oldest: { readonly since: Date; readonly at: Date } | null;
}

const isNewer = (column: string): RawBuilder<boolean> => {
  const given = sql.ref(`excluded.${column}`);
  const present = sql.ref(`queues.${column}`);
  return sql<boolean>`(${given} IS NOT NULL AND (${present} IS NULL OR ${given} > ${present}))`;
};

const takeWhen = <T>(condition: RawBuilder<boolean>, column: string): RawBuilder<T> =>
  sql<T>`CASE WHEN ${condition} THEN ${sql.ref(`excluded.${column}`)} ELSE ${sql.ref(`queues.${column}`)} END`;

/** The report about the oldest task: its own, or the depth report, whichever is later. */
function oldestOf({ depth, oldest }: QueueNote): { since: Date | null; at: Date } | null {
  if (depth === null || (oldest !== null && oldest.at >= depth.at)) return oldest;
  return { since: null, at: depth.at };
}

/** The hold of a newer report. A queue that stays paused keeps its `paused_since`. */
const heldOn: RawBuilder<string> = sql`CASE
  WHEN excluded.metadata ->> 'paused' IS NOT NULL AND queues.metadata ->> 'paused_since' IS NOT NULL
    THEN ${jsonWithMemberOf("excluded.metadata", "queues.metadata", "paused_since")} ELSE excluded.metadata END`;

const writtenColumns = [
  "project_id",
  "id",
  "engine",
  "name",
  "pending_count",
  "consumer_count",
  "depth_reported_at",
] as const;
/** A queue after its notes were written. */
export type WrittenQueue = Pick<QueueRow, (typeof writtenColumns)[number]>;

/** Writes notes, at most one per queue and in lock order; older reports change nothing. Returns the rows. */
export async function writeQueueNotes(
  tx: Tx<Tables>,
  notes: readonly QueueNote[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<WrittenQueue[]> {
  return tx
    .insertInto("queues")
    .values(
      notes.map((note) => ({
        id: newId(),
        project_id: note.projectId,
        engine: note.engine,
        name: note.name,
        broker_type: null,
        broker_url_hint: null,
        last_seen_at: note.lastSeenAt,
        pending_count: note.depth?.count ?? 0,
        consumer_count: note.consumers?.count ?? 0,
        oldest_waiting_since: oldestOf(note)?.since ?? null,
        depth_reported_at: note.depth?.at ?? null,
        consumers_reported_at: note.consumers?.at ?? null,
        oldest_reported_at: oldestOf(note)?.at ?? null,
        metadata: JSON.stringify(note.depth?.hold ?? {}),
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["project_id", "engine", "name"]).doUpdateSet({
        last_seen_at: takeWhen(isNewer("last_seen_at"), "last_seen_at"),
        pending_count: takeWhen(isNewer("depth_reported_at"), "pending_count"),
        oldest_waiting_since: takeWhen(isNewer("oldest_reported_at"), "oldest_waiting_since"),
        oldest_reported_at: takeWhen(isNewer("oldest_reported_at"), "oldest_reported_at"),
        depth_reported_at: takeWhen(isNewer("depth_reported_at"), "depth_reported_at"),
        metadata: sql<string>`CASE WHEN ${isNewer("depth_reported_at")} THEN ${heldOn} ELSE queues.metadata END`,
        consumer_count: takeWhen(isNewer("consumers_reported_at"), "consumer_count"),
        consumers_reported_at: takeWhen(isNewer("consumers_reported_at"), "consumers_reported_at"),
        updated_at: now,
      }),
    )
    .returning(writtenColumns)
    .execute();
}
