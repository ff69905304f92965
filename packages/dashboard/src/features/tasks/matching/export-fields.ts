import type { ExportField } from "@svc/client/task-query";
import type { ColumnId } from "../views/columns.ts";

const fieldsOf: Readonly<Record<ColumnId, readonly ExportField[]>> = {
  state: ["state"],
  name: ["name", "task_id"],
  engine: ["engine"],
  queue: ["queue"],
  worker: ["worker_name"],
  lifecycle: ["received_at", "started_at", "finished_at"],
  wait: ["received_at", "started_at"],
  run: ["runtime_ms"],
  try: ["attempt"],
  age: ["received_at"],
  priority: ["priority"],
  error: ["exception"],
  release: ["release"],
  tags: ["tags"],
  id: ["task_id"],
  started: ["started_at"],
  finished: ["finished_at"],
};

/** The export fields for these columns, in column order. */
export const fieldsOfColumns = (columns: readonly ColumnId[]): ExportField[] => [
  ...new Set(columns.flatMap((column) => fieldsOf[column])),
];
