import type { EventKind, TaskRow, TaskTree } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AddressRange } from "../../../address/range-text.ts";
import { api } from "../../../api/api.ts";
import { eventPageSize, isAboutTask, isTaskAt, liveOfTask, taskSpacingMs } from "../../task-data/index.ts";
import type { Compared } from "./failure/comparison.ts";

/** The pages after the newest one. A change moves where they begin, so the key includes the start. */
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

/** The number of commands shown for one task. */
const shownCommands = 20;

/** The newest commands of a task. The key starts like the command list's key, so a new command refreshes both. */
export const taskCommandsQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
    queryKey: ["commands", slug, "of-task", engine, taskId],
    queryFn: ({ signal }) => api.listTaskCommands(slug, engine, taskId, { limit: shownCommands }, { signal }),
    staleTime: 2_000,
    meta: {
      live: {
        project: slug,
        on: {
          "command.changed": {
            isStale: ({ rows = [], refetch }) => refetch === true || rows.some((row) => isAboutTask(row, taskId)),
            delayMs: taskSpacingMs,
          },
        },
      },
    },
  });

/** Failures compared with successes of the same name. It samples thousands of tasks, so changes do not refresh it. */
export const taskDifferencesQuery = (slug: string, compared: Compared, range: AddressRange) =>
  queryOptions({
    queryKey: ["task-differences", slug, compared, range],
    queryFn: ({ signal }) => api.getTaskDifferences(slug, { ...compared, ...range }, { signal }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const taskExplanationQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
    queryKey: ["task-explanation", slug, engine, taskId],
    queryFn: ({ signal }) => api.explainTask(slug, engine, taskId, { signal }),
    staleTime: 5_000,
    meta: { live: liveOfTask(slug, engine, taskId) },
  });

const isInTree = (row: TaskRow, tree: TaskTree | undefined): boolean =>
  tree?.nodes.some((node) => node.task_id === row.task_id && node.engine === row.engine) ?? false;

export const taskTreeQuery = (slug: string, engine: string, taskId: string) =>
  queryOptions({
    queryKey: ["task-tree", slug, engine, taskId],
    queryFn: ({ signal }) => api.getTaskTree(slug, engine, taskId, { signal }),
    staleTime: 5_000,
    meta: {
      live: {
        project: slug,
        on: {
          "task.changed": {
            isStale: ({ rows = [], refetch }, tree: TaskTree | undefined) =>
              refetch === true || rows.some((row) => isTaskAt(row, engine, taskId) || isInTree(row, tree)),
            delayMs: taskSpacingMs,
          },
        },
      },
    },
  });
