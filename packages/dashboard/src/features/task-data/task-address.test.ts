import { redactionMarker } from "@svc/protocol/markers";
import { expect, test } from "vitest";
import { isTaskAt, taskAddress, taskKey } from "./task-address.ts";

const row = { id: "0198a5b0-0000-7000-8000-000000000001", engine: "bullmq", task_id: "mail:7" };
const masked = { ...row, task_id: `invoice:${redactionMarker}` };

test("a task is addressed by its own id, or by its row id if its own is masked", () => {
  expect(taskAddress("acme", "bullmq", taskKey(row), {})).toBe("/p/acme/tasks/bullmq/mail%3A7");
  expect(taskAddress("acme", "bullmq", taskKey(masked), {})).toBe(`/p/acme/tasks/bullmq/${row.id}`);
});

test("a row is found by either address", () => {
  for (const key of [taskKey(masked), masked.task_id]) expect(isTaskAt(masked, "bullmq", key)).toBe(true);
  expect(isTaskAt(masked, "rq", taskKey(masked))).toBe(false);
  expect(isTaskAt(row, "bullmq", null)).toBe(false);
});
