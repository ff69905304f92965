import type { EventKind } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import type { AddressRange } from "../../../range-text.ts";
import { eventPageSize } from "../queries.ts";

/** The pages after those newest ones. A change moves where they begin, so they are then read anew from there. */
export const olderTaskEventsQuery = (
  slug: string,
  task: { engine: string; taskId: string; kind: EventKind | "" },
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
