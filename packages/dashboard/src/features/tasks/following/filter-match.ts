import type { TaskFilters, TaskRow } from "@svc/client";
import { waitingStates } from "@svc/client/task-query";

/**
 * Whether a pushed row matches a list's filter parameters. Of a search, only the end of a wait is evaluated here; the server
 * evaluates the rest.
 */
export function matchesFilters(row: TaskRow, filters: TaskFilters): boolean {
  if (/(?:^|\s)waiting:/.test(filters.q ?? "") && !(waitingStates as readonly string[]).includes(row.state))
    return false;
  if (filters.state && row.state !== filters.state) return false;
  if (filters.priority && !filters.priority.split(",").includes(row.priority)) return false;
  if (filters.queue && row.queue !== filters.queue) return false;
  if (filters.worker && row.worker_name !== filters.worker) return false;
  if (filters.name && !row.name.includes(filters.name)) return false;
  if (filters.since && Date.parse(row.received_at) < Date.parse(filters.since)) return false;
  if (filters.until && Date.parse(row.received_at) > Date.parse(filters.until)) return false;
  if (!filters.search) return true;
  const wanted = filters.search.toLowerCase();
  return [row.name, row.queue, row.worker_name, row.task_id].some((text) => text?.toLowerCase().includes(wanted));
}
