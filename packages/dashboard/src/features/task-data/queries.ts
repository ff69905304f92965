import { type Command, type EventKind, isProblem, type Task, type TaskFilters, type TaskRow } from "@svc/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import type { Live, LiveRule } from "../../live/declared.ts";
import { isAboutTask, isTaskAt } from "./task-address.ts";
import { type LoadedList, listPage, maximumRows, mergeList, pageSize, sizeOf } from "./task-pages.ts";

// Queries of the first page. The routes load this file before sign-in, so it stays small.

/** Events per page: enough for the whole history of nearly every task. */
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
    structuralSharing: (now, next) => mergeList(now as LoadedList | undefined, next as LoadedList),
    // Rows are refreshed one by one (use-task-list.ts), so fifty pages are never fetched again by a timer.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Minimum time between two reads of a task that change events trigger. */
export const taskSpacingMs = 1_000;

/** Live rules for queries about one task: fetched again when the task changes, and patched immediately if there is a patch. */
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

/** A completed retry may name the task that it created. */
const lineageRule = (taskId: string): LiveRule<"command.changed"> => ({
  isStale: ({ rows = [] }: { rows?: Command[] }) =>
    rows.some((row) => row.status === "completed" && isAboutTask(row, taskId)),
  delayMs: taskSpacingMs,
});

/** One task; null if it doesn't exist. Null counts as data, so it stays on screen during a refetch. */
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
    meta: { live: { ...live, on: { ...live.on, "command.changed": lineageRule(taskId) } } },
  });
};

/** The newest events of a task, of all kinds or of one. */
export const taskEventsQuery = (slug: string, engine: string, taskId: string, kind: EventKind | "" = "") =>
  queryOptions({
    queryKey: ["task-events", slug, engine, taskId, kind],
    queryFn: ({ signal }) =>
      api.listEvents(slug, { engine, task_id: taskId, limit: eventPageSize, ...(kind ? { kind } : {}) }, { signal }),
    staleTime: 2_000,
    meta: { live: liveOfTask(slug, engine, taskId) },
  });
