/** Task rows for tests, as ingest writes them, without events. */
import { taskRowId } from "@svc/protocol";
import { searchTextOf } from "../../src/features/tasks/projection/postgres-store.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { Tables, TaskRow } from "../../src/schema/tables/index.ts";

export type GivenTask = Partial<TaskRow> & Pick<TaskRow, "project_id" | "task_id">;

const noOne = "00000000-0000-4000-8000-000000000000";

/** A complete row from the fields that a test needs. */
export function taskRow(given: GivenTask): TaskRow {
  const at = given.received_at ?? new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  const engine = given.engine ?? "bullmq";
  return {
    id: taskRowId(given.project_id, engine, given.task_id),
    engine,
    name: "unknown",
    queue: null,
    state: "pending",
    priority: "normal",
    args: "[]",
    kwargs: "{}",
    result: null,
    exception: null,
    traceback: null,
    retry_count: 0,
    attempt: 0,
    max_attempts: null,
    eta: null,
    received_at: at,
    started_at: null,
    finished_at: null,
    runtime_ms: null,
    wait_ms: null,
    worker_name: null,
    parent_task_id: null,
    root_task_id: null,
    tags: "[]",
    release: null,
    traceparent: null,
    fingerprint: null,
    last_failed_at: null,
    last_event_at: at,
    reported_by: noOne,
    fold: "",
    row_version: 1,
    created_at: at,
    updated_at: at,
    ...given,
  };
}

const rowsPerStatement = 100;

/** Inserts tasks with their search terms; `isIndexed: false` skips the task id index, as in the first second after ingest. */
export async function insertTasks(
  database: Database<Tables>,
  given: readonly GivenTask[],
  { isIndexed = true }: { isIndexed?: boolean } = {},
): Promise<TaskRow[]> {
  const rows = given.map(taskRow);
  await database.write(async (tx) => {
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const some = rows.slice(start, start + rowsPerStatement);
      await tx.insertInto("tasks").values(some).execute();
      if (database.dialect === "postgres") {
        const search = some.map((row) => ({
          id: row.id,
          project_id: row.project_id,
          received_at: row.received_at,
          search_text: searchTextOf(row as never),
        }));
        await tx.insertInto("task_search").values(search).execute();
        continue;
      }
      const terms = some.flatMap((row) =>
        (
          [
            ["name", row.name],
            ["queue", row.queue],
            ["worker", row.worker_name],
          ] as const
        ).flatMap(([field, value]) =>
          value === null ? [] : [{ project_id: row.project_id, field, value, folded: value.toLowerCase() }],
        ),
      );
      if (terms.length === 0) continue;
      await tx
        .insertInto("task_terms")
        .values(terms)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
  if (isIndexed && database.bulk.dialect === "sqlite") await database.bulk.job("tasks.index-task-ids", null);
  return rows;
}
