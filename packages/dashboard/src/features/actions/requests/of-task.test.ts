import { expect, test } from "vitest";
import { isOfTask } from "./of-task.ts";

const task = { engine: "bullmq", task_id: "7" };
const command = (target_id: string | null, payload: Record<string, unknown>, target_type = "task") => ({
  target_type,
  target_id,
  payload,
});

test.each([
  ["names it", command("7", { engine: "bullmq", task_id: "7" }), true],
  ["names it to a viewer", command("7", {}), true],
  ["names a task of the same id of another engine", command("7", { engine: "celery", task_id: "7" }), false],
  ["names another task", command("8", { engine: "bullmq" }), false],
  ["names a queue that is called so", command("7", { engine: "bullmq" }, "queue"), false],
  ["has it among others", command(null, { filter: { engine: "bullmq", task_ids: ["6", "7"] } }), true],
  ["has others", command(null, { filter: { engine: "bullmq", task_ids: ["6", "17"] } }), false],
  ["has one of another engine", command(null, { filter: { engine: "celery", task_ids: ["7"] } }), false],
  ["has others that a viewer is not told", command(null, {}), false],
] as const)("a command that %s", (_words, one, expected) => {
  expect(isOfTask(one, task)).toBe(expected);
});
