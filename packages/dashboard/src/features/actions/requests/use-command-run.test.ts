import { expect, test } from "vitest";
import type { RunProgress } from "../../../shell/rail/recent.ts";
import { runEntry, runStatus } from "./use-command-run.ts";

const single = { label: "Cancel emails.send", task: { engine: "bullmq", taskId: "1" } };
const run = { id: "run-1", action: "cancel_task", label: "Cancel tasks" };

test("a few commands have an entry each in the tray, many have one with their progress", () => {
  expect(runEntry({ ...run, total: 5 }, 5, single)).toBe(single);
  expect(runEntry({ ...run, total: 6 }, 2, single)).toMatchObject({
    label: "Cancel tasks",
    run: { id: "run-1", runAction: "cancel_task", progress: { made: 2, total: 6 } },
  });
});

const at = Date.UTC(2026, 4, 20);
const textOf = (more: Partial<RunProgress>, now = at) => {
  const { title, note } = runStatus("Cancel tasks", { made: 133, total: 200, page: "a", at, ...more }, now, "a");
  return `${title}. ${note}`;
};

test.each<[string, Partial<RunProgress>, string]>([
  ["that continues here", {}, "Cancel tasks: 133 of 200 requested. Requesting the rest. Keep this tab open."],
  [
    "that continues in another tab",
    { page: "b" },
    "Cancel tasks: 133 of 200 requested. Requesting the rest in another tab.",
  ],
  [
    "that is complete",
    { made: 200, page: "b" },
    "Cancel tasks: 200 of 200 requested. One command each. See the list for results.",
  ],
  [
    "that was stopped",
    { ended: "stopped" },
    "Cancel tasks: 133 of 200 requested. Stopped. Select the remaining tasks to continue.",
  ],
  [
    "that failed",
    { ended: "failed" },
    "Cancel tasks: 133 of 200 requested. A request failed. Select the remaining tasks to continue.",
  ],
  [
    "whose page was closed",
    { page: "b", ended: "closed" },
    "Cancel tasks: at least 133 of 200 requested. The page was closed before the rest. Select the remaining tasks to continue.",
  ],
])("the status of a run %s", (_what, progress, expected) => {
  expect(textOf(progress)).toBe(expected);
});

test("a run without progress for a minute in another page was cut off", () => {
  expect(textOf({ page: "b" }, at + 60_001)).toContain("The page was closed before the rest.");
  expect(textOf({}, at + 60_001)).toContain("Requesting the rest. Keep this tab open.");
});
