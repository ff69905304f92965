import type { TaskFilters } from "@svc/client";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import {
  filtersOf,
  isTaskAt,
  type ListRow,
  rowsOf,
  type TasksSearch,
  taskListQuery,
  taskTotalQuery,
} from "../../../task-data/index.ts";
import { filterTextOf, savedFilters } from "../../following/saved-place.ts";
import { taskTreeQuery } from "../detail-queries.ts";

export interface ListPlace {
  /** Index in the list; -1 if the task is not among the loaded rows. */
  index: number;
  previous: ListRow | undefined;
  next: ListRow | undefined;
  /** Total number of tasks in the list; null if unknown. */
  total: number | null;
}

/** A task's position in a list: the list as the user left it if it is still cached, else its newest page. */
export function useListPlace(slug: string, task: { engine: string; taskId: string }, filters: TaskFilters): ListPlace {
  // The family loads first: it is on the first screen, and the link to the next task is not.
  const { isPending } = useQuery({ ...taskTreeQuery(slug, task.engine, task.taskId), enabled: false });
  const list = useInfiniteQuery({ ...taskListQuery(slug, filters), enabled: !isPending });
  const total = useQuery({ ...taskTotalQuery(slug, filters), enabled: false });
  const rows = useMemo(() => rowsOf(list.data), [list.data]);
  const index = rows.findIndex((row) => isTaskAt(row, task.engine, task.taskId));

  const isAtEnd = index >= 0 && index >= rows.length - 2;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = list;
  useEffect(() => {
    if (isAtEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isAtEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  return {
    index,
    previous: index > 0 ? rows[index - 1] : undefined,
    next: index >= 0 ? rows[index + 1] : undefined,
    total: total.data ?? null,
  };
}

/** The filters of the list that a task page's URL leads back to. */
export function useListFilters(slug: string, search: TasksSearch): TaskFilters {
  const client = useQueryClient();
  const filterText = filterTextOf(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ages are counted back from when the list was opened
  return useMemo(() => savedFilters(client, slug, search) ?? filtersOf(search, Date.now()), [slug, filterText]);
}
