import { expect, test } from "vitest";
import { fieldsOfColumns } from "./export-fields.ts";

test("the fields of an export follow the order of the columns, each once", () => {
  expect(fieldsOfColumns(["queue", "name", "age", "lifecycle", "state"])).toEqual([
    "queue",
    "name",
    "task_id",
    "received_at",
    "started_at",
    "finished_at",
    "state",
  ]);
});
