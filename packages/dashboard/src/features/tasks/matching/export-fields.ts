import { type ExportField, exportFields } from "@svc/client/task-query";
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

/** What an export needs to hold what the list shows. */
export function fieldsOfColumns(columns: readonly ColumnId[]): ExportField[] {
  const wanted = new Set(columns.flatMap((column) => fieldsOf[column]));
  return exportFields.filter((field) => wanted.has(field));
}
