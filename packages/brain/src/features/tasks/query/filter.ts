import { type Priority, priorities, type TaskState } from "@svc/protocol";
import { invalid } from "../../../platform/http/error-codes.ts";
import { parseInstant } from "../../../platform/http/schemas.ts";
import type { TaskRow } from "../../../schema/tables/index.ts";
import type { TaskListQuery } from "../schemas.ts";

/** The tasks to list, export or delete; absent members do not restrict. */
export interface TaskFilter {
  readonly state?: TaskState;
  readonly priorities?: readonly Priority[];
  /** Literal, case-sensitive substring of the name. */
  readonly name?: string;
  /** Literal substring of name, queue, worker or task id, ignoring case; already in lower case. */
  readonly search?: string;
  readonly queue?: string;
  readonly worker?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** The columns that a filter uses. */
export type FilteredTask = Pick<
  TaskRow,
  "state" | "priority" | "queue" | "worker_name" | "name" | "task_id" | "received_at"
>;

/** Whether a task matches the filter; equivalent to the statements of the reads. */
export function matchesFilter(task: FilteredTask, filter: TaskFilter): boolean {
  const { name, search, since, until } = filter;
  return (
    (filter.state === undefined || task.state === filter.state) &&
    (filter.priorities === undefined || filter.priorities.some((priority) => priority === task.priority)) &&
    (filter.queue === undefined || task.queue === filter.queue) &&
    (filter.worker === undefined || task.worker_name === filter.worker) &&
    (since === undefined || task.received_at >= since) &&
    (until === undefined || task.received_at <= until) &&
    (name === undefined || task.name.includes(name)) &&
    (search === undefined ||
      [task.name, task.queue, task.worker_name, task.task_id].some((text) => text?.toLowerCase().includes(search)))
  );
}

const known: ReadonlySet<string> = new Set(priorities);

/** The filter of a list query. Empty texts do not restrict; unknown priorities are refused. */
export function filterOfQuery(query: TaskListQuery): TaskFilter {
  const wanted = query.priority === undefined ? undefined : readPriorities(query.priority);
  return {
    ...(query.state !== undefined && { state: query.state }),
    ...(wanted !== undefined && { priorities: wanted }),
    ...(filled(query.name) && { name: query.name }),
    ...(filled(query.search) && { search: query.search.toLowerCase() }),
    ...(filled(query.queue) && { queue: query.queue }),
    ...(filled(query.worker) && { worker: query.worker }),
    ...instantsOf(query.since, query.until),
  };
}

export function instantsOf(
  since: string | null | undefined,
  until: string | null | undefined,
): { since?: Date; until?: Date } {
  const from = since == null ? null : parseInstant(since);
  const to = until == null ? null : parseInstant(until);
  return { ...(from !== null && { since: from }), ...(to !== null && { until: to }) };
}

const filled = (text: string | undefined): text is string => text !== undefined && text !== "";

function readPriorities(text: string): Priority[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.every((part) => part === "")) return undefined;
  if (parts.every((part): part is Priority => known.has(part))) return [...new Set(parts)];
  throw invalid({
    loc: ["query", "priority"],
    type: "enum",
    message: `must be a comma-separated list of ${priorities.join(", ")}`,
  });
}
