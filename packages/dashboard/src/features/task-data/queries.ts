import { type Command, type EventKind, isProblem, type Task, type TaskFilters, type TaskRow } from "@svc/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import type { Live, LiveRule } from "../../live/declared.ts";
import { isAboutTask, isTaskAt } from "./task-address.ts";
import { joinAnswer, type LoadedList, listPage, maximumRows, pageSize, sizeOf } from "./task-pages.ts";

// What a first page reads at once, beside its parts: the routes load this file before anybody has signed in.

/** Events in one read: enough for the whole life of nearly every task. */
export const eventPageSize = 500;

export const taskListQuery = (slug: string, filters: TaskFilters) =>
  infiniteQueryOptions({
    queryKey: ["tasks", slug, filters],
    queryFn: async ({ pageParam, signal }) =>
      listPage(
        await api.listTasks(
          slug,
          { ...filters, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
          { signal },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last, pages) => (sizeOf(pages) >= maximumRows ? null : last.next_cursor),
    structuralSharing: (now, answer) => joinAnswer(now as LoadedList | undefined, answer as LoadedList),
    // Renewed row by row (use-task-list.ts); reading fifty pages again because a timer ran out would help nobody.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** At least this long between two reads of a task that change events ask for. */
export const taskSpacingMs = 1_000;

/** For what is read of one task: read again when the task changed, and patched meanwhile where there is a patch. */
export function liveOfTask(slug: string, engine: string, taskId: string, patch?: TaskPatch): Live {
  const isOwn = (row: TaskRow) => isTaskAt(row, engine, taskId);
  const rule: LiveRule<"task.changed"> = {
    isStale: ({ rows = [], removed = [], refetch }, read: { id?: string } | null | undefined) =>
      refetch === true || rows.some(isOwn) || removed.includes(read?.id ?? ""),
    delayMs: taskSpacingMs,
  };
  if (patch) rule.patch = (task: Task, { rows }) => patch(task, rows?.find(isOwn));
  return { project: slug, on: { "task.changed": rule } };
}

type TaskPatch = (task: Task, row: TaskRow | undefined) => Task;

/** A retry that was carried out may name the task that it made. */
const ruleOfLineage = (taskId: string): LiveRule<"command.changed"> => ({
  isStale: ({ rows = [] }: { rows?: Command[] }) =>
    rows.some((row) => row.status === "completed" && isAboutTask(row, taskId)),
  delayMs: taskSpacingMs,
});

/** One task; null when it is not there, which is an answer like any other and stays while it is asked for again. */
export const taskQuery = (slug: string, engine: string, taskId: string) => {
  const live = liveOfTask(slug, engine, taskId, (task, row) => ({ ...task, ...row }));
  return queryOptions({
    queryKey: ["task", slug, engine, taskId],
    queryFn: async ({ signal }) => {
      try {
        return await api.getTask(slug, engine, taskId, { signal });
      } catch (error) {
        if (isProblem(error, "not_found")) return null;
        throw error;
      }
    },
    staleTime: 2_000,
    meta: { live: { ...live, on: { ...live.on, "command.changed": ruleOfLineage(taskId) } } },
  });
};

/** The newest events of a task, all kinds or one. */
export const taskEventsQuery = (slug: string, engine: string, taskId: string, kind: EventKind | "" = "") =>
  queryOptions({
    queryKey: ["task-events", slug, engine, taskId, kind],
    queryFn: ({ signal }) =>
      api.listEvents(slug, { engine, task_id: taskId, limit: eventPageSize, ...(kind ? { kind } : {}) }, { signal }),
    staleTime: 2_000,
    meta: { live: liveOfTask(slug, engine, taskId) },
  });
