import { expect, test } from "vitest";
import { fieldsOfColumns } from "./export-fields.ts";

test("export fields are distinct and follow the order of the columns", () => {
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
