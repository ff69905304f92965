import { expect, test } from "vitest";
import { checkTaskRetention } from "./settings.ts";

const faults = (taskDays: number, eventDays: number) => {
  const found: string[] = [];
  const values = { SVC_TASK_RETENTION_DAYS: taskDays, SVC_EVENT_RETENTION_DAYS: eventDays };
  checkTaskRetention(values, (name, message) => found.push(`${name} ${message}`));
  return found;
};

test("task retention may equal event retention but not be shorter", () => {
  expect(faults(30, 30)).toEqual([]);
  expect(faults(29, 30)).toEqual(["SVC_TASK_RETENTION_DAYS must be at least SVC_EVENT_RETENTION_DAYS"]);
});
