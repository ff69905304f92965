import type { SavedView, SavedViewFilters } from "@svc/client";
import { activeFilters, type FilterKey, priorityList, type TasksSearch, viewSearch } from "../../task-data/index.ts";

/** A named set of filters. Saved views have an id, presets have none. */
export interface ListView {
  id: string | null;
  name: string;
  search: TasksSearch;
}

/** The views that every project has. */
export const presets: readonly ListView[] = [
  { id: null, name: "All", search: {} },
  { id: null, name: "Failed", search: { state: "failure" } },
  { id: null, name: "Running", search: { state: "started" } },
  { id: null, name: "Waiting over 5 min", search: { q: "waiting:>5m" } },
  { id: null, name: "Retried", search: { q: "retries:>=1" } },
  { id: null, name: "Slow", search: { q: "runtime:>30s" } },
];

export const ownView = (view: SavedView): ListView => ({ id: view.id, name: view.name, search: viewSearch(view) });

/** The filters that a view saves: all except the time range, which applies to the whole project. */
export function viewFilters({ state, priority, search, queue, name, worker, q }: TasksSearch): SavedViewFilters {
  return {
    ...(state && { state }),
    ...(priority && { priority: priorityList(priority) as SavedViewFilters["priority"] & {} }),
    ...(search && { search }),
    ...(queue && { queue }),
    ...(name && { name }),
    ...(worker && { worker }),
    ...(q && { q }),
  };
}

const timeKeys: readonly FilterKey[] = ["since", "until"];

/** Whether the URL parameters match a view, apart from the time range. */
export function showsView(search: TasksSearch, view: ListView): boolean {
  const keys = [...activeFilters(search), ...activeFilters(view.search)];
  return keys.every((key) => timeKeys.includes(key) || search[key] === view.search[key]);
}

/** The URL parameters of a view: its filters and the current time range. */
export function searchFor(view: ListView, { since, until }: TasksSearch): TasksSearch {
  return { ...(since && { since }), ...(until && { until }), ...view.search };
}
