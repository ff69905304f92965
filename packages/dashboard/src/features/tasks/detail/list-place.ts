import type { TaskFilters } from "@svc/client";
import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { taskListQuery, taskTotalQuery } from "../queries.ts";
import { type ListRow, rowsOf } from "../task-pages.ts";
import { filtersOf, type TasksSearch } from "../tasks-search.ts";

export interface ListPlace {
  /** From 0 in the list's order; -1 when the task is not among the loaded rows. */
  index: number;
  previous: ListRow | undefined;
  next: ListRow | undefined;
  /** `12 of 1,204`; null when the task is not among the loaded rows. */
  total: number | null;
}

/**
 * Where a task stands in the list that the address means: the list as it was left, while the browser still has it, else
 * its newest page.
 */
export function useListPlace(slug: string, task: { engine: string; taskId: string }, search: TasksSearch): ListPlace {
  const client = useQueryClient();
  const { task: _drawer, tab: _tab, ...filter } = search;
  const filterText = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ages are counted back from when the list was opened
  const filters = useMemo(() => keptFilters(client, slug, filter) ?? filtersOf(filter, Date.now()), [slug, filterText]);
  const list = useInfiniteQuery(taskListQuery(slug, filters));
  const total = useQuery({ ...taskTotalQuery(slug, filters), enabled: false });
  const rows = useMemo(() => rowsOf(list.data), [list.data]);
  const index = rows.findIndex((row) => row.engine === task.engine && row.task_id === task.taskId);

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

/** The filters of the list that was shown for this address; one on screen before one that was left, the latest of those. */
function keptFilters(client: QueryClient, slug: string, search: TasksSearch): TaskFilters | undefined {
  const wanted = shapeOf(filtersOf(search, 0));
  const kept = client
    .getQueryCache()
    .findAll({ queryKey: ["tasks", slug] })
    .filter((query) => query.state.data !== undefined && shapeOf(query.queryKey[2] as TaskFilters) === wanted)
    .sort(
      (a, b) =>
        Number(b.getObserversCount() > 0) - Number(a.getObserversCount() > 0) ||
        b.state.dataUpdatedAt - a.state.dataUpdatedAt,
    );
  return kept[0]?.queryKey[2] as TaskFilters | undefined;
}

// Ages became instants when the list was opened; which ones is not asked.
function shapeOf({ since, until, ...rest }: TaskFilters): string {
  return JSON.stringify([Object.entries(rest).sort(), since !== undefined, until !== undefined]);
}
