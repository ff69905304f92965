import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type ExportField, exportFields } from "@svc/client/task-query";
import { csvOf, jsonArrayOf } from "../../platform/exports/csv.ts";
import { readFields } from "../../platform/exports/fields.ts";
import { xlsxOf } from "../../platform/exports/xlsx.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import { countPlanUpTo } from "./breakdowns/count-matches.ts";
import { matchingPage, planList } from "./list.ts";
import type { QueryPlan } from "./query/query.ts";
import { addressKey, lineageOf } from "./reads.ts";
import type { TaskListQuery } from "./schemas.ts";
import type { Search } from "./search/find-matches.ts";
import type { TaskPosition } from "./search/match-reads.ts";
import { type PublicTask, partOfTask, publicColumns } from "./task-fields.ts";

export type ExportFormat = "csv" | "xlsx" | "json";

/** Maximum number of rows of an xlsx export, whatever the setting. */
export const maxXlsxRows = 25_000;

/** Time limit for counting the matches of a query; matches of the parameters alone are counted without a limit. */
const countMs = 10_000;

const mediaTypes: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  json: "application/json; charset=utf-8",
};

export interface TaskExport {
  readonly mediaType: string;
  readonly fileName: string;
  readonly body: Readable;
}

export interface ExportDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "append">;
  readonly maxRows: number;
  /** Rows in the form of exports. */
  shown(rows: unknown): unknown;
}

/**
 * Streams every matching task, newest first. More matches than the cap are refused before the first byte; rows that arrive during the
 * export may make it a few rows longer than the checked count, never shorter.
 */
export async function exportTasks(
  { database, audit, maxRows, shown }: ExportDeps,
  request: { projectId: string; slug: string; query: TaskListQuery; format: ExportFormat; origin: AuditOrigin },
): Promise<TaskExport> {
  const { projectId, slug, query, format, origin } = request;
  const fields = readFields(query.fields, exportFields);
  const plan = await planList(database, projectId, { query, now: new Date() });
  const cap = format === "xlsx" ? Math.min(maxRows, maxXlsxRows) : maxRows;
  const timeoutMs = query.q === undefined ? Number.POSITIVE_INFINITY : countMs;
  const count = await countPlanUpTo(database, projectId, plan, { cap, timeoutMs });
  if (count === null) throw tooSlow();
  if (count > cap) {
    throw new ApiError("validation_error", {
      cap,
      format,
      setting: "SVC_TASKS_EXPORT_MAX_ROWS",
      errors: [{ loc: ["query"], type: "too_many_rows", message: `more than ${cap} tasks match; narrow the filter` }],
    });
  }
  await database.write((tx) =>
    audit.append(tx, {
      ...origin,
      action: "tasks.export",
      target_type: "project",
      target_id: projectId,
      project_id: projectId,
      metadata: { format, rows: count, fields: [...fields] },
    }),
  );
  const pages = shownBatches(batchesOf({ database, projectId }, plan, fields), shown);
  return {
    mediaType: mediaTypes[format],
    fileName: `svc-tasks-${slug}.${format}`,
    body: encode(format, fields, pages),
  };
}

async function* shownBatches(batches: ReturnType<typeof batchesOf>, shown: ExportDeps["shown"]) {
  for await (const batch of batches) yield shown(batch) as typeof batch;
}

const tooSlow = () =>
  invalid({
    loc: ["query", "q"],
    type: "too_slow",
    message: "counting the matches took too long; narrow the query with since:, state:, queue: or name:",
  });

function encode(
  format: ExportFormat,
  fields: readonly string[],
  pages: AsyncIterable<readonly Partial<PublicTask>[]>,
): Readable {
  switch (format) {
    case "csv":
      return Readable.from(csvOf(fields, pages));
    case "json":
      return Readable.from(jsonArrayOf(fields, pages));
    case "xlsx":
      return xlsxOf("tasks", fields, pages);
  }
}

const batchRows = 500;

/** Columns for links and positions, read whichever fields are requested. */
const addressColumns = ["engine", "task_id"] as const;

/**
 * All matches, newest first, in batches bounded like a page, so that an export reads only what it is about to send; of each row only what
 * the fields need. Every batch queues for the connection for long reads, so that the event loop and other readers get a turn between two
 * batches.
 */
export async function* batchesOf(
  { database, projectId }: { database: BrainDatabase; projectId: string },
  { filter, content }: Pick<QueryPlan, "filter"> & Partial<QueryPlan>,
  fields: readonly ExportField[],
): AsyncGenerator<readonly Partial<PublicTask>[]> {
  const { slow: db } = database;
  const needed: ReadonlySet<string> = new Set(fields);
  const reads = { db, columns: [...addressColumns, ...publicColumns.filter((column) => needed.has(column))] };
  const isLinked = needed.has("retry_of") || needed.has("retried_as");
  const limits = { limit: batchRows, budgetMs: Number.POSITIVE_INFINITY };
  let after: TaskPosition | null = null;
  do {
    const search: Search = { projectId, filter, content, after, ...limits };
    const { rows, next } = await matchingPage(database, search, reads);
    const lineage = isLinked ? await lineageOf(db, { projectId, tasks: rows }) : null;
    if (rows.length > 0) yield rows.map((row) => partOfTask(row, lineage?.get(addressKey(row))));
    after = next;
    // The reader may already have answered again before the event loop has handled anything else.
    await setImmediate();
  } while (after !== null);
}
