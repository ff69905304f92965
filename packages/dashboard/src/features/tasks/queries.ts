import { type EventKind, isProblem, type TaskFilters } from "@svc/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";
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
    meta: { livePages: true },
  });

/** One task; null when it is not there, which is an answer like any other and stays while it is asked for again. */
export const taskQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
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
  });

/** The newest events of a task, all kinds or one. */
export const taskEventsQuery = (slug: string, engine: string, taskId: string, kind: EventKind | "" = "") =>
  queryOptions({
    queryKey: ["task-events", slug, engine, taskId, kind],
    queryFn: ({ signal }) =>
      api.listEvents(slug, { engine, task_id: taskId, limit: eventPageSize, ...(kind ? { kind } : {}) }, { signal }),
    staleTime: 2_000,
  });
