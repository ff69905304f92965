import { isUuid, parseJson } from "@svc/protocol";
import { decodeCursor, encodeCursor } from "../../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../../platform/http/content/paging.ts";
import { parseInstant } from "../../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { instantOfMicros } from "../chain/chain.ts";
import type { AuditPage, AuditQuery, AuditRow } from "../schemas.ts";
import { type AuditFilter, type AuditPosition, type ListedRow, newestAuditRows } from "./list-reads.ts";

/** An instant of a row as responses show it: six decimals, `Z`. */
export const shownInstant = (micros: number): string => `${instantOfMicros(micros).slice(0, 26)}Z`;

/** A row as the audit list and its exports show it. Addresses are for instance administrators only. */
export function shownRow(row: ListedRow, showsAddress: boolean): AuditRow {
  const { occurred_us, metadata, ...fields } = row;
  return {
    ...fields,
    metadata: parseJson(metadata) as Record<string, unknown>,
    source_ip: showsAddress ? row.source_ip : null,
    occurred_at: shownInstant(occurred_us),
  };
}

/** Rows that match only column filters may be far apart: those reads must not block the event loop with the embedded database. */
export const readerFor = ({ read, slow }: Pick<BrainDatabase, "read" | "slow">, filter: AuditFilter) =>
  filter.actionPrefix || filter.outcome || filter.userId !== undefined || filter.targetId ? slow : read;

export function filterOf({ action_prefix, outcome, user_id, target_id, since, until }: AuditQuery): AuditFilter {
  const from = since === undefined ? null : parseInstant(since);
  const to = until === undefined ? null : parseInstant(until);
  return {
    actionPrefix: action_prefix,
    outcome,
    userId: user_id?.toLowerCase(),
    targetId: target_id,
    ...(from !== null && { sinceUs: from.getTime() * 1000 }),
    ...(to !== null && { untilUs: to.getTime() * 1000 }),
  };
}

/** A page of a project's audit rows, newest first. */
export async function listAudit(
  database: BrainDatabase,
  settings: PageSizes,
  { projectId, query, showsAddress }: { projectId: string; query: AuditQuery; showsAddress: boolean },
): Promise<AuditPage> {
  const limit = clampLimit(query.limit, settings);
  const filter = { ...filterOf(query), olderThan: positionOf(query.cursor) };
  const rows = await newestAuditRows(readerFor(database, filter), { projectId }, filter, limit + 1);
  const { items, next_cursor } = pageOf(rows, limit, (row) => encodeCursor([row.occurred_us, row.id]));
  return { items: items.map((row) => shownRow(row, showsAddress)), next_cursor };
}

function positionOf(cursor: string | undefined): AuditPosition | null {
  const values = decodeCursor(cursor, ["integer", "string"]);
  return values === null || !isUuid(values[1]) ? null : { occurredUs: values[0], id: values[1] };
}
