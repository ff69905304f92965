import { type RawBuilder, sql } from "kysely";
import { rowsWithinBytes } from "../../../platform/database/dialects/expressions/rows-within-bytes.ts";
import { isAmong } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { BrainDatabase, Db, ScheduleChangeRow, ScheduleRow } from "../../../schema/tables/index.ts";
import { scheduleColumns } from "../listing/reads.ts";
import { ownScheduler } from "../slots.ts";

// What schedulers see: the schedules of this service in projects that are not archived.

/** A change as schedulers see it now: with the current row, or as a tombstone when they may not see the schedule. */
export interface VisibleChange {
  readonly revision: number;
  readonly projectId: string;
  readonly scheduleId: string;
  /** Null for a tombstone. */
  readonly row: ScheduleRow | null;
}

export interface Changes {
  /** In the order of their revisions. */
  readonly changes: readonly VisibleChange[];
  /** Every visible change up to this revision is in `changes`, or was before `afterRevision`. */
  readonly scannedThrough: number;
  /** The newest revision of all. */
  readonly serverRevision: number;
  /** Whether changes after `afterRevision` are no longer kept, so that a new snapshot is needed; then there are no changes. */
  readonly isGap: boolean;
}

export interface ChangeQuery {
  readonly afterRevision: number;
  /** Null for every project. */
  readonly projectIds: readonly string[] | null;
  /** Changes that are scanned, 1 to 100: their rows are in memory together. */
  readonly limit: number;
}

const maxLimit = 100;

const newestRevision = async (db: Db): Promise<number> =>
  Number((await db.selectFrom("schedule_control").select("revision").executeTakeFirst())?.revision ?? 0);

/** The next changes after a revision. Each revision has one stored change, so a missing one was pruned. */
export async function readChanges(
  { read }: Pick<BrainDatabase, "read">,
  { afterRevision, projectIds, limit }: ChangeQuery,
): Promise<Changes> {
  // First: changes up to this revision are all visible to the statements that follow.
  const serverRevision = await newestRevision(read);
  const nothing = { changes: [], scannedThrough: afterRevision, serverRevision };
  if (afterRevision === serverRevision) return { ...nothing, isGap: false };
  // A scheduler may be ahead of a database that was restored from a backup.
  if (afterRevision > serverRevision) return { ...nothing, isGap: true };
  const stored = await read
    .selectFrom("schedule_changes")
    .select(["revision", "project_id", "schedule_id", "change_kind"])
    .where("revision", ">", afterRevision)
    .where("revision", "<=", serverRevision)
    .orderBy("revision")
    .limit(Math.min(Math.max(limit, 1), maxLimit))
    .execute();
  const isWhole = stored[0]?.revision === afterRevision + 1;
  if (!isWhole || stored.some(({ change_kind }) => !plainKinds.has(change_kind))) return { ...nothing, isGap: true };
  const asked = projectIds === null ? null : new Set(projectIds);
  const changes = stored.filter(({ project_id }) => asked === null || asked.has(project_id));
  return {
    changes: await withRows(read, changes),
    scannedThrough: stored.at(-1)?.revision ?? afterRevision,
    serverRevision,
    isGap: false,
  };
}

/** Other kinds represent changes that are not listed one by one. */
const plainKinds: ReadonlySet<string> = new Set(["upsert", "delete"]);

async function withRows(db: Db, changes: readonly Omit<ScheduleChangeRow, "changed_at">[]): Promise<VisibleChange[]> {
  const ids = [...new Set(changes.map(({ schedule_id }) => schedule_id))];
  const rows =
    ids.length === 0
      ? []
      : await visible(db, null)
          .where(isAmong("id", "uuid", ids))
          .selectAll()
          .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  // A deletion may be followed by another change, as when a project is archived and restored.
  return changes.map(({ revision, project_id: projectId, schedule_id: scheduleId }) => ({
    revision,
    projectId,
    scheduleId,
    row: byId.get(scheduleId) ?? null,
  }));
}

const isVisible = sql<boolean>`scheduler = ${ownScheduler}
  AND project_id IN (SELECT p.id FROM projects AS p WHERE p.is_active = ${true})`;

const visible = (db: Db, projectIds: readonly string[] | null) =>
  db
    .selectFrom("schedules")
    .where(isVisible)
    .$if(projectIds !== null, (query) => query.where(isAmong("project_id", "uuid", projectIds ?? [])));

export interface SnapshotQuery {
  /** Null for every project. */
  readonly projectIds: readonly string[] | null;
  /** Rows that are in memory together, at most; fewer when they are large. */
  readonly pageSize: number;
}

/**
 * Reads every schedule that schedulers see in one consistent read, by ascending id.
 *
 * @param send takes a page. The read keeps a database connection until it has sent all, so it must have a time limit.
 * @returns the revision that the snapshot shows, and the number of its rows.
 */
export const readSnapshot = (
  { snapshot }: Pick<BrainDatabase, "snapshot">,
  { projectIds, pageSize }: SnapshotQuery,
  send: (rows: readonly ScheduleRow[]) => Promise<void>,
): Promise<{ watermark: number; rowCount: number }> =>
  snapshot(async (db) => {
    const watermark = await newestRevision(db);
    const ofProjects = projectIds === null ? sql`` : sql`AND ${isAmong("project_id", "uuid", projectIds)}`;
    let rowCount = 0;
    let isAfter: RawBuilder<unknown> = sql``;
    for (let hasMore = true; hasMore; ) {
      const from = sql`FROM schedules WHERE ${isVisible} ${ofProjects} ${isAfter} ORDER BY id`;
      const page = await rowsWithinBytes<ScheduleRow>(db, { table: byId, from }, { limit: pageSize });
      const last = page.rows.at(-1);
      if (last === undefined) break;
      await send(page.rows);
      rowCount += page.rows.length;
      hasMore = page.hasMore;
      isAfter = sql`AND id > ${last.id}`;
    }
    return { watermark, rowCount };
  });

const byId = {
  name: "schedules",
  columns: scheduleColumns,
  largeColumns: ["args", "kwargs"],
  orderedBy: ["id"],
  isAscending: true,
};
