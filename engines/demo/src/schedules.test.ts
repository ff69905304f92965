import { expect, test } from "vitest";
import { taskTypes } from "./catalogue.ts";
import { demoSchedules, missingTask } from "./schedules.ts";

test("schedules start tasks that the shop has, but for one that fails", () => {
  const names = taskTypes.map(({ name }) => name);
  const unknown = demoSchedules.filter(({ task_name }) => !names.includes(task_name));
  expect(unknown.map(({ name, task_name }) => [name, task_name])).toEqual([["sync-contacts", missingTask]]);
});
