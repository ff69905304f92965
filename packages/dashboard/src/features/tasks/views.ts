import { activeFilters, type TasksSearch } from "./tasks-search.ts";

/** A choice of filters with a name. */
export interface ListView {
  name: string;
  search: TasksSearch;
}

/** The views that every project has. */
export const presets: readonly ListView[] = [
  { name: "All", search: {} },
  { name: "Failed", search: { state: "failure" } },
  { name: "Running", search: { state: "started" } },
  { name: "Waiting over 5 min", search: { state: "pending", until: "-5m" } },
  { name: "Retried", search: { state: "retry" } },
];

/** Whether two addresses show the same list. */
export function isSameView(a: TasksSearch, b: TasksSearch): boolean {
  const keys = new Set([...activeFilters(a), ...activeFilters(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}
