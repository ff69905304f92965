import { priorities, type TaskFilters, type TaskState, taskStates } from "@svc/client";
import { readRange, timeOf } from "../../address/range-text.ts";

/** The URL parameters of the task list. All others are dropped. */
export interface TasksSearch {
  state?: TaskState;
  /** Comma-separated, in the order critical, high, normal, low. */
  priority?: string;
  name?: string;
  search?: string;
  queue?: string;
  worker?: string;
  /** A query in the search language (docs/reference/query-language.md). */
  q?: string;
  /** A timestamp, or an age such as `-1h`. */
  since?: string;
  until?: string;
  /** `<engine>/<task id>` of the task in the drawer. */
  task?: string;
  tab?: string;
  /** Id of the saved view that the filters started from. */
  view?: string;
}

const textKeys = ["name", "search", "queue", "worker", "q"] as const;
const maximumLengths = { name: 500, search: 500, queue: 200, worker: 200, q: 1000 } as const;

export function readTasksSearch(raw: Record<string, unknown>): TasksSearch {
  const search: TasksSearch = {};
  const state = taskStates.find((one) => one === raw.state);
  if (state) search.state = state;
  const chosen = priorityList(raw.priority);
  if (chosen.length > 0) search.priority = chosen.join(",");
  for (const key of textKeys) {
    const value = raw[key];
    if (typeof value === "string" && value !== "" && value.length <= maximumLengths[key]) search[key] = value;
  }
  Object.assign(search, readRange(raw));
  if (typeof raw.task === "string" && raw.task.includes("/")) search.task = raw.task;
  if (typeof raw.tab === "string") search.tab = raw.tab;
  if (typeof raw.view === "string" && /^[0-9a-f-]{36}$/.test(raw.view)) search.view = raw.view;
  return search;
}

/** The URL parameters of a task's page: the filters of its list, and the selected tab. */
export function readTaskPageSearch(raw: Record<string, unknown>): TasksSearch {
  const { task: _drawer, ...search } = readTasksSearch(raw);
  return search;
}

export function priorityList(text: unknown): string[] {
  if (typeof text !== "string") return [];
  const requested = new Set(text.split(",").map((word) => word.trim()));
  return priorities.filter((priority) => requested.has(priority));
}

/** The list's query parameters. Ages become timestamps here, so that all pages of a list share the same bounds. */
export function filtersOf(search: TasksSearch, now: number): TaskFilters {
  const { state, priority, name, search: text, queue, worker, q, since, until } = search;
  return {
    ...(state ? { state } : {}),
    ...(priority ? { priority } : {}),
    ...(name ? { name } : {}),
    ...(text ? { search: text } : {}),
    ...(queue ? { queue } : {}),
    ...(worker ? { worker } : {}),
    ...(q ? { q } : {}),
    ...(since ? { since: new Date(timeOf(since, now)).toISOString() } : {}),
    ...(until ? { until: new Date(timeOf(until, now)).toISOString() } : {}),
  };
}

const filterKeys = ["state", "priority", "name", "search", "queue", "worker", "q", "since", "until"] as const;
export type FilterKey = (typeof filterKeys)[number];

/** The active filters, in reading order. */
export function activeFilters(search: TasksSearch): FilterKey[] {
  return filterKeys.filter((key) => search[key] !== undefined);
}
