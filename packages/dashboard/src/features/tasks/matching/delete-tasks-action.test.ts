import type { TaskFilters } from "@svc/client";
import { expect, test } from "vitest";
import type { ListRow } from "../../task-data/index.ts";
import { deleteTasks } from "./delete-tasks-action.tsx";

const reasonOf = (selected: number, filters?: TaskFilters) => {
  const all = filters ? { filters, filterText: "worker worker-1" } : null;
  return deleteTasks.guard({ rows: Array<ListRow>(selected), all, onMade: () => {}, onDone: () => {} });
};

test.each([
  ["as many as one request names", 1_000, undefined, null],
  ["one more", 1_001, undefined, "Select at most 1,000 tasks, or all matching"],
  ["all matching, regardless of the number selected", 1_001, { worker: "worker-1" }, null],
  ["all that a search finds", 1, { q: "x" }, "Select tasks one by one: search results can't be deleted all at once"],
])("%s: %o selected, by %o", (_which, selected, filters, reason) => {
  expect(reasonOf(selected, filters)).toBe(reason);
});
