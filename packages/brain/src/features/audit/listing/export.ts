import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { csvOf, jsonArrayOf } from "../../../platform/exports/csv.ts";
import { readFields } from "../../../platform/exports/fields.ts";
import { xlsxOf } from "../../../platform/exports/xlsx.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { Audit } from "../audit.ts";
import type { AuditOrigin } from "../origin.ts";
import { type AuditQuery, AuditRow, type exportFormats } from "../schemas.ts";
import { filterOf, shownRow } from "./list.ts";
import { type AuditFilter, type AuditPosition, countUpTo, type ListedRow, newestAuditRows } from "./list-reads.ts";

type ExportFormat = (typeof exportFormats)[number];

/** Maximum rows of a synchronous export. */
export const exportCaps: Readonly<Record<ExportFormat, number>> = { csv: 50_000, json: 50_000, xlsx: 25_000 };

const batchRows = 500;

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** The columns of an export, in order. */
const exportFields = Object.keys(AuditRow.properties);

interface AuditExportDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "record">;
  shown(rows: unknown): unknown;
}

export interface AuditExportRequest {
  readonly project: { readonly id: string; readonly slug: string };
  readonly query: AuditQuery;
  readonly format: ExportFormat;
  readonly showsAddress: boolean;
  readonly origin: AuditOrigin;
}

/**
 * Every matching row as a stream, newest first, as of the request: the row that records the export is not included. More rows than the cap
 * are refused before the first byte.
 */
export async function exportAudit(
  { database, audit, shown }: AuditExportDeps,
  { project, query, format, showsAddress, origin }: AuditExportRequest,
): Promise<{ mediaType: string; fileName: string; body: Readable }> {
  const fields = readFields(query.fields, exportFields);
  const source = { projectId: project.id };
  const [newest] = await newestAuditRows(database.read, source, {}, 1);
  const asked = filterOf(query);
  const untilUs = Math.min(asked.untilUs ?? Number.POSITIVE_INFINITY, newest?.occurred_us ?? 0);
  const filter: AuditFilter = { ...asked, untilUs };
  const cap = exportCaps[format];
  const rows = await countUpTo(database.slow, source, filter, cap + 1);
  if (rows > cap) {
    throw new ApiError("validation_error", {
      cap,
      format,
      errors: [{ loc: ["query"], type: "too_many_rows", message: `more than ${cap} rows match; narrow the filter` }],
    });
  }
  await audit.record({
    ...origin,
    action: "audit.export",
    target_type: "project",
    target_id: project.id,
    project_id: project.id,
    metadata: { format, rows, fields: [...fields] },
  });
  const pages = shownPages(pagesOf(database, source.projectId, filter, showsAddress), shown);
  const fileName = `svc-audit-${project.slug}.${format}`;
  return { mediaType: mediaTypes[format], fileName, body: encode(format, fields, pages) };
}

async function* shownPages(pages: AsyncIterable<AuditRow[]>, shown: AuditExportDeps["shown"]) {
  for await (const page of pages) yield shown(page) as AuditRow[];
}

async function* pagesOf({ slow }: BrainDatabase, projectId: string, filter: AuditFilter, showsAddress: boolean) {
  for (let olderThan: AuditPosition | null = null; ; ) {
    const rows: ListedRow[] = await newestAuditRows(slow, { projectId }, { ...filter, olderThan }, batchRows);
    if (rows.length > 0) yield rows.map((row) => shownRow(row, showsAddress));
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) return;
    olderThan = { occurredUs: last.occurred_us, id: last.id };
    // The reader may have answered before the loop handled anything else.
    await setImmediate();
  }
}

function encode(format: ExportFormat, fields: readonly string[], pages: AsyncIterable<AuditRow[]>): Readable {
  if (format === "xlsx") return xlsxOf("audit", fields, pages);
  return Readable.from(format === "csv" ? csvOf(fields, pages) : jsonArrayOf(fields, pages));
}
