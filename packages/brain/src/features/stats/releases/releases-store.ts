import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import type { Db, ReleaseRow, Tables } from "../../../schema/tables/index.ts";
import type { TimeRange } from "../time-range.ts";

export interface ReleaseLimit {
  /** Maximum number of releases of a project; they come from outside, so the least recently recorded ones above this are deleted. */
  readonly perProject: number;
}

/** Records distinct releases; each keeps its earliest time. */
export async function noteReleases(
  tx: Tx<Tables>,
  rows: readonly ReleaseRow[],
  { perProject }: ReleaseLimit,
): Promise<void> {
  // Two processes that check the limit at once would both stay below it.
  await lockSubject(tx, "releases");
  for (const [projectId, own] of Map.groupBy(rows, ({ project_id }) => project_id)) {
    const known = await tx
      .selectFrom("releases")
      .select("release")
      .where("project_id", "=", projectId)
      .limit(perProject)
      .execute();
    const all = new Set([...known, ...own].map(({ release }) => release));
    await tx
      .insertInto("releases")
      .values(own)
      .onConflict((conflict) =>
        conflict.columns(["project_id", "release"]).doUpdateSet({
          first_seen_at: sql<Date>`CASE WHEN excluded.first_seen_at < releases.first_seen_at
            THEN excluded.first_seen_at ELSE releases.first_seen_at END`,
          noted_at: sql<Date>`CASE WHEN excluded.noted_at > releases.noted_at
            THEN excluded.noted_at ELSE releases.noted_at END`,
        }),
      )
      .execute();
    if (all.size > perProject) await deleteOldest(tx, projectId, all.size - perProject);
  }
}

/** Deletes the least recently recorded releases of a project. */
async function deleteOldest(tx: Tx<Tables>, projectId: string, count: number): Promise<void> {
  await tx
    .deleteFrom("releases")
    .where("project_id", "=", projectId)
    .where("release", "in", (eb) =>
      eb
        .selectFrom("releases")
        .select("release")
        .where("project_id", "=", projectId)
        .orderBy("noted_at")
        .orderBy("first_seen_at")
        .orderBy("release")
        .limit(count),
    )
    .execute();
}

/** The newest releases first seen in [from, to), newest first. */
export const releasesWithin = (
  db: Db,
  projectId: string,
  { from, to }: TimeRange,
  limit: number,
): Promise<Pick<ReleaseRow, "release" | "first_seen_at">[]> =>
  db
    .selectFrom("releases")
    .select(["release", "first_seen_at"])
    .where("project_id", "=", projectId)
    .where("first_seen_at", ">=", from)
    .where("first_seen_at", "<", to)
    .orderBy("first_seen_at", "desc")
    .orderBy("release", "desc")
    .limit(limit)
    .execute();
