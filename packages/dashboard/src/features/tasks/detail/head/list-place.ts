import type { TaskFilters } from "@svc/client";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { filtersOf, type TasksSearch } from "../../filters/tasks-search.ts";
import { filterTextOf, keptFilters } from "../../following/kept-list.ts";
import { type ListRow, rowsOf } from "../../following/task-pages.ts";
import { taskTotalQuery } from "../../list-queries.ts";
import { taskListQuery } from "../../queries.ts";
import { isTaskAt } from "../../task-address.ts";
import { taskTreeQuery } from "../detail-queries.ts";

export interface ListPlace {
  /** From 0 in the list's order; -1 when the task is not among the loaded rows. */
  index: number;
  previous: ListRow | undefined;
  next: ListRow | undefined;
  /** `12 of 1,204`; null when the task is not among the loaded rows. */
  total: number | null;
}

/** Where a task stands in a list: the list as it was left, while the browser still has it, else its newest page. */
export function useListPlace(slug: string, task: { engine: string; taskId: string }, filters: TaskFilters): ListPlace {
  // Family first: it stands on the first screen, and the way to the next task does not.
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

/** The filters of the list that an address leads back to, for a page that does not show it. */
export function useListFilters(slug: string, search: TasksSearch): TaskFilters {
  const client = useQueryClient();
  const filterText = filterTextOf(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ages are counted back from when the list was opened
  return useMemo(() => keptFilters(client, slug, search) ?? filtersOf(search, Date.now()), [slug, filterText]);
}
