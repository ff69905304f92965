import { type FacetQuery, isProblem, type TaskFilters, type TaskHistogramQuery } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";
import type { AddressRange } from "../../range-text.ts";
import { joinAnswer, type LoadedList, listPage, maximumRows, pageSize, sizeOf } from "./task-pages.ts";

/** Enough for the whole life of nearly every task. */
const eventPageSize = 500;

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

/** The exact count is an aggregate of its own: asked for once per filter, after the rows are there. */
export const taskTotalQuery = (slug: string, filters: TaskFilters) =>
  queryOptions({
    queryKey: ["task-total", slug, filters],
    queryFn: async ({ signal }) => {
      const page = await api.listTasks(slug, { ...filters, limit: 1, include_total: true }, { signal });
      return page.total_count ?? null;
    },
    staleTime: 60_000,
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
export const taskEventsQuery = (slug: string, engine: string, taskId: string, kind = "") =>
  queryOptions({
    queryKey: ["task-events", slug, engine, taskId, kind],
    queryFn: ({ signal }) =>
      api.listEvents(slug, { engine, task_id: taskId, limit: eventPageSize, ...(kind ? { kind } : {}) }, { signal }),
    staleTime: 2_000,
  });

/** The pages after those newest ones. A change moves where they begin, so they are then read anew from there. */
export const olderTaskEventsQuery = (
  slug: string,
  task: { engine: string; taskId: string; kind: string },
  from: string,
) =>
  infiniteQueryOptions({
    queryKey: ["older-task-events", slug, task, from],
    queryFn: ({ pageParam, signal }) =>
      api.listEvents(
        slug,
        {
          engine: task.engine,
          task_id: task.taskId,
          limit: eventPageSize,
          cursor: pageParam,
          ...(task.kind ? { kind: task.kind } : {}),
        },
        { signal },
      ),
    initialPageParam: from,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Failed against passed tasks of a name. A sample of thousands, so it is not read again with every change. */
export const taskDifferencesQuery = (slug: string, name: string, range: AddressRange) =>
  queryOptions({
    queryKey: ["task-differences", slug, name, range],
    queryFn: ({ signal }) => api.getTaskDifferences(slug, { name, ...range }, { signal }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const taskExplanationQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
    queryKey: ["task-explanation", slug, engine, taskId],
    queryFn: ({ signal }) => api.explainTask(slug, engine, taskId, { signal }),
    staleTime: 5_000,
  });

export const taskTreeQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
    queryKey: ["task-tree", slug, engine, taskId],
    queryFn: ({ signal }) => api.getTaskTree(slug, engine, taskId, { signal }),
    staleTime: 5_000,
  });

/** Values of one field under the list's other filters. A timer reads the counts again, so they do not vanish meanwhile. */
export const facetQuery = (slug: string, query: FacetQuery) =>
  queryOptions({
    queryKey: ["facet", slug, query],
    queryFn: ({ signal }) => api.getFacet(slug, query, { signal }),
    staleTime: 10_000,
  });

export const histogramQuery = (slug: string, query: TaskHistogramQuery) =>
  queryOptions({
    queryKey: ["task-histogram", slug, query],
    queryFn: ({ signal }) => api.getTaskHistogram(slug, query, { signal }),
    staleTime: 15_000,
  });

/** When releases began to run; the overview reads the same. */
export const releaseMarksQuery = (slug: string, range: AddressRange) =>
  queryOptions({
    queryKey: ["releases", slug, range],
    queryFn: ({ signal }) => api.listReleases(slug, range, { signal }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

export const savedViewsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["saved-views", slug],
    queryFn: ({ signal }) => api.listSavedViews(slug, { signal }),
    staleTime: 60_000,
  });
