import { type RawBuilder, sql } from "kysely";
import { indexed, newestThrough } from "../../platform/database/dialects/expressions/index-hints.ts";
import {
  type BoundedRows,
  type PageBounds,
  rowsWithinBytes,
  type WideTable,
} from "../../platform/database/dialects/expressions/rows-within-bytes.ts";
import { valuesRows } from "../../platform/database/dialects/expressions/values-table.ts";
import type { Db, EventRow } from "../../schema/tables/index.ts";

export interface EventPosition {
  readonly occurredAt: Date;
  readonly id: string;
}

export interface EventScope {
  readonly projectId: string;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly after: EventPosition | null;
}

/** Events that one index returns in list order: of one task (optionally of one `kind`), of one kind, or of the whole project. */
export type EventSource =
  | { readonly engine: string; readonly taskId: string; readonly kind?: string | undefined }
  | { readonly kind: string }
  | null;

const wideEvents: WideTable = {
  name: "events",
  columns: ["id", "project_id", "agent_id", "engine", "task_id", "kind", "occurred_at", "payload"],
  largeColumns: ["payload"],
  orderedBy: ["occurred_at", "id"],
};

function bounds({ since, until, after }: EventScope): RawBuilder<unknown>[] {
  const all: RawBuilder<unknown>[] = [];
  if (since !== null) all.push(sql`occurred_at >= ${since}`);
  if (until !== null) all.push(sql`occurred_at <= ${until}`);
  if (after !== null) {
    all.push(sql`occurred_at <= ${after.occurredAt}`, sql`(occurred_at, id) < (${after.occurredAt}, ${after.id})`);
  }
  return all;
}

const byKind = { table: "events", index: "events_by_kind", column: "kind", time: "occurred_at", tie: "id" };

/**
 * FROM, WHERE and ORDER BY of a source, newest first, always through its own index. Without it, a rare or absent kind could make the planner
 * scan all events.
 */
function inListOrder(scope: EventScope, source: EventSource): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${scope.projectId}`, ...bounds(scope)];
  if (source !== null && !("taskId" in source)) {
    const { since, until, after } = scope;
    const newest = after !== null && (until === null || after.occurredAt <= until) ? after.occurredAt : until;
    return newestThrough(byKind, sql`${source.kind}`, conditions, { from: since, to: newest });
  }
  if (source !== null) {
    conditions.push(sql`engine = ${source.engine}`, sql`task_id = ${source.taskId}`);
    if (source.kind !== undefined) conditions.push(sql`kind = ${source.kind}`);
  }
  const from = indexed("events", source === null ? null : "events_by_task");
  return sql`FROM ${from} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY occurred_at DESC, id DESC`;
}

/** The newest events of a source. */
export const newestEvents = (
  db: Db,
  { scope, source }: { scope: EventScope; source: EventSource },
  bounds: PageBounds,
): Promise<BoundedRows<EventRow>> => {
  const from = inListOrder(scope, source);
  return rowsWithinBytes(db, { table: wideEvents, from }, bounds);
};

/** Positions of the newest events of a source, at most `limit`. */
export async function newestPositions(
  db: Db,
  { scope, source }: { scope: EventScope; source: EventSource },
  limit: number,
): Promise<EventPosition[]> {
  const { rows } = await sql<{ id: string; occurred_at: Date }>`
    SELECT id, occurred_at ${inListOrder(scope, source)} LIMIT ${limit}`.execute(db);
  return rows.map(positionOf);
}

const positionOf = ({ id, occurred_at }: { id: string; occurred_at: Date }): EventPosition => ({
  id,
  occurredAt: occurred_at,
});

/** Positions of one engine among the next `rows` events of a source, at most `limit`, and the last scanned position when there are more. */
export async function walkEvents(
  db: Db,
  { scope, source, engine }: { scope: EventScope; source: EventSource; engine: string },
  { rows, limit }: { rows: number; limit: number },
): Promise<{ found: EventPosition[]; end: EventPosition | null }> {
  const { rows: seen } = await sql<{ id: string; occurred_at: Date; is_match: boolean; place: number }>`
    SELECT id, occurred_at, is_match, place FROM (
      SELECT id, occurred_at, (engine = ${engine}) AS is_match, row_number() OVER (ORDER BY occurred_at DESC, id DESC) AS place
      FROM (SELECT id, occurred_at, engine ${inListOrder(scope, source)} LIMIT ${rows}) AS event
    ) AS seen WHERE is_match OR place = ${rows} ORDER BY place LIMIT ${limit + 1}`.execute(db);
  const last = seen.find(({ place }) => place === rows);
  const found = seen.filter(({ is_match }) => is_match).slice(0, limit);
  return { found: found.map(positionOf), end: last === undefined ? null : positionOf(last) };
}

/** The events at the positions, which are in list order, as many as fit. */
export async function eventsAt(
  db: Db,
  { projectId, positions }: { projectId: string; positions: readonly EventPosition[] },
  bounds: PageBounds,
): Promise<BoundedRows<EventRow>> {
  const newest = positions[0];
  const oldest = positions.at(-1);
  if (newest === undefined || oldest === undefined) return { rows: [], hasMore: false };
  const places = valuesRows(
    ["timestamptz", "uuid"],
    positions.map(({ occurredAt, id }) => [occurredAt, id]),
  );
  // The time bounds let PostgreSQL skip the partitions of other days.
  const from = sql`FROM events WHERE project_id = ${projectId}
    AND occurred_at >= ${oldest.occurredAt} AND occurred_at <= ${newest.occurredAt}
    AND (occurred_at, id) IN (${places}) ORDER BY occurred_at DESC, id DESC`;
  return rowsWithinBytes(db, { table: wideEvents, from }, bounds);
}

/** Engines with events in the project, by name, at most `limit`. Each is found with one index lookup. */
export async function eventEngines(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ engine: string }>`
    WITH RECURSIVE each (engine) AS (
      SELECT min(engine) FROM events WHERE project_id = ${projectId}
      UNION ALL
      SELECT (SELECT min(engine) FROM events WHERE project_id = ${projectId} AND engine > each.engine)
      FROM each WHERE each.engine IS NOT NULL
    ) SELECT engine FROM each WHERE engine IS NOT NULL LIMIT ${limit}`.execute(db);
  return rows.map(({ engine }) => engine);
}
