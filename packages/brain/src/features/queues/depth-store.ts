import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { affectedRows } from "../../platform/database/results.ts";
import { hours } from "../../platform/durations.ts";
import type { BrainDatabase, Tables } from "../../schema/tables/index.ts";
import type { WrittenQueue } from "./store.ts";

/** Depths are stored in cells of this width, aligned to UTC. */
export const depthCellMs = 120_000;
/** How long cells are kept. */
export const depthsKeptMs = hours(24);

export const depthCell = (at: Date): Date => new Date(Math.floor(at.getTime() / depthCellMs) * depthCellMs);

type DeepQueue = Omit<WrittenQueue, "engine" | "name">;

/**
 * Stores the reported depths in their cells, at most one per queue and in lock order. Reports older than the retention, or more than one
 * cell ahead of `now`, are ignored.
 */
export async function writeDepthCells(tx: Tx<Tables>, queues: readonly DeepQueue[], now: Date): Promise<void> {
  const rows = queues.flatMap(({ project_id, id, pending_count, consumer_count, depth_reported_at: at }) =>
    at === null || at.getTime() < now.getTime() - depthsKeptMs || at.getTime() > now.getTime() + depthCellMs
      ? []
      : [{ project_id, queue_id: id, cell_at: depthCell(at), pending_count, consumer_count }],
  );
  if (rows.length === 0) return;
  await tx
    .insertInto("queue_depths")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["project_id", "queue_id", "cell_at"]).doUpdateSet({
        pending_count: sql<number>`CASE WHEN excluded.pending_count > queue_depths.pending_count
          THEN excluded.pending_count ELSE queue_depths.pending_count END`,
        consumer_count: sql<number>`excluded.consumer_count`,
      }),
    )
    .execute();
}

/** Deletes at most `limit` cells of all projects before `cutoff`; returns how many. */
export const deleteOldDepths = (
  { write }: Pick<BrainDatabase, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("queue_depths")
        .where((eb) =>
          eb(
            eb.refTuple("project_id", "queue_id", "cell_at"),
            "in",
            eb
              .selectFrom("queue_depths")
              .select(["project_id", "queue_id", "cell_at"])
              .where("cell_at", "<", cutoff)
              .orderBy("cell_at")
              .limit(limit)
              .$asTuple("project_id", "queue_id", "cell_at"),
          ),
        ),
    ),
  );
