import { sql } from "kysely";
import { hours, minutes } from "../../platform/durations.ts";
import type { Db } from "../../schema/tables/index.ts";

/** A worker that went offline longer ago is ignored. */
const windowMs = hours(24);
/** A rolling deploy starts the new worker up to this long before the old one stops. */
const overlapMs = minutes(2);

export interface MissingWorkers {
  readonly project_id: string;
  readonly missing: number;
  /** The last heartbeat of the first lost worker. */
  readonly since: Date;
}

/**
 * Missing workers by project. A worker is lost when it went offline within the last 24 hours without announcing it. Workers of the same
 * engine that were first seen after the first loss each replace one lost worker, as after a deploy that renames its workers; the remaining
 * lost ones are missing.
 */
export async function missingWorkers(db: Db, projectIds: readonly string[], now: Date): Promise<MissingWorkers[]> {
  if (projectIds.length === 0) return [];
  const isLost = sql<boolean>`w.state = 'offline' AND w.last_heartbeat >= ${new Date(now.getTime() - windowMs)}
    AND (w.state_at IS NULL OR w.state_at < w.last_heartbeat)`;
  const overlap = sql`(CAST(${now} AS timestamptz) - CAST(${new Date(now.getTime() - overlapMs)} AS timestamptz))`;
  const rows = await db
    .with("lost", (cte) =>
      cte
        .selectFrom("workers as w")
        .select((eb) => [
          "w.project_id",
          "w.engine",
          eb.fn.countAll<number>().as("count"),
          eb.fn.min<Date>("w.last_heartbeat").as("last_heartbeat"),
        ])
        .where("w.project_id", "in", projectIds)
        .where(isLost)
        .groupBy(["w.project_id", "w.engine"]),
    )
    .selectFrom("lost")
    .select((eb) => [
      "lost.project_id",
      "lost.count",
      "lost.last_heartbeat",
      eb
        .selectFrom("workers as w")
        .select((of) => of.fn.countAll<number>().as("count"))
        .whereRef("w.project_id", "=", "lost.project_id")
        .whereRef("w.engine", "=", "lost.engine")
        .where(sql<boolean>`w.created_at >= lost.last_heartbeat - ${overlap}`)
        .where(sql<boolean>`(w.state = 'online' OR (${isLost}))`)
        .as("replacements"),
    ])
    .execute();
  const found = new Map<string, MissingWorkers>();
  for (const { project_id, count, replacements, last_heartbeat } of rows) {
    const missing = Number(count) - Number(replacements ?? 0);
    if (missing <= 0) continue;
    const before = found.get(project_id);
    const since = before && before.since < last_heartbeat ? before.since : last_heartbeat;
    found.set(project_id, { project_id, missing: missing + (before?.missing ?? 0), since });
  }
  return [...found.values()];
}
