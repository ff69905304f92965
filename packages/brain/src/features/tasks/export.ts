import { Readable } from "node:stream";
import { exportFields } from "@svc/client/task-query";
import type { Database } from "../../platform/database/database.ts";
import { csvOf, jsonArrayOf } from "../../platform/exports/csv.ts";
import { readFields } from "../../platform/exports/fields.ts";
import { xlsxOf } from "../../platform/exports/xlsx.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import { countPlanUpTo } from "./count-matches.ts";
import { batchesOf } from "./export-batches.ts";
import { planList } from "./list.ts";
import type { TaskListQuery } from "./schemas.ts";
import type { PublicTask } from "./task-public.ts";

export type ExportFormat = "csv" | "xlsx" | "json";

/** Rows that an xlsx export holds at most, whatever the setting says. */
export const maxXlsxRows = 25_000;

/** What counting the matches of a query may take; those of the parameters alone are counted whatever it takes. */
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
  readonly database: Database<Tables>;
  readonly audit: Pick<Audit, "append">;
  readonly maxRows: number;
  /** Rows as exports show them. */
  shown(rows: unknown): unknown;
}

/**
 * Every matching task as a stream, newest first. A match over the cap is refused before the first byte; rows that arrive while the export
 * runs may make it a few rows longer than the count that was checked, never shorter.
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
    message: "the matches cannot be counted in time; narrow the query by since:, state:, queue: or name:",
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
