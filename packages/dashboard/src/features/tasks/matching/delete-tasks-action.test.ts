import type { TaskFilters } from "@svc/client";
import { expect, test } from "vitest";
import type { ListRow } from "../../task-data/index.ts";
import { deleteTasks } from "./delete-tasks-action.tsx";

const reasonOf = (ticked: number, filters?: TaskFilters) => {
  const all = filters ? { filters, words: "what is asked for" } : null;
  return deleteTasks.guard({ rows: Array<ListRow>(ticked), all, onMade: () => {}, onDone: () => {} });
};

test.each([
  ["as many as one request names", 1_000, undefined, null],
  ["one more", 1_001, undefined, "At most 1,000 at a time, or all that match"],
  ["all that match, however many are ticked", 1_001, { worker: "worker-1" }, null],
  ["all that a search finds", 1, { q: "x" }, "Tick the tasks: what a search finds cannot be deleted at once"],
])("%s: %o ticked, by %o", (_which, ticked, filters, reason) => {
  expect(reasonOf(ticked, filters)).toBe(reason);
});
