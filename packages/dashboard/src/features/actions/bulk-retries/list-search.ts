import type { BulkRetryPlan } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import type { TasksSearch } from "../../task-data/index.ts";

/** The search of the task list with the filter of a bulk retry; null if it has a list of task ids instead. */
export function listSearch({ filter, named_tasks }: Pick<BulkRetryPlan, "filter" | "named_tasks">): TasksSearch | null {
  if (named_tasks !== null) return null;
  const { engine, priority, q, ...same } = filter;
  const query = [q, engine !== undefined && fieldTerm("engine", engine)].filter(Boolean).join(" ");
  return {
    ...same,
    ...(priority && { priority: priority.join(",") }),
    ...(query !== "" && { q: query }),
  };
}
