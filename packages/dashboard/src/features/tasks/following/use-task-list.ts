import { type HubEvent, isProblem, type TaskFilters } from "@svc/client";
import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { connection, usePollMs } from "../../../live/live.ts";
import { taskListQuery } from "../queries.ts";
import { matchesFilters } from "./filter-match.ts";
import { createListFollower, type ListCache, type ListReads, type ListView } from "./list-follower.ts";
import {
  isSearchIdle,
  type ListPage,
  type ListRow,
  listPage,
  listRow,
  maximumRows,
  pageSize,
  rowsOf,
} from "./task-pages.ts";

/** Share of the loaded rows after which the next older page is read. */
const prefetchAt = 0.7;
/** A list that the page's start has asked for is shown by then; one that was left is older. */
const justReadMs = 2_000;

export interface TaskList extends ListView {
  query: ReturnType<typeof useTaskQuery>;
  rows: ListRow[];
  showPending: () => void;
  isFull: boolean;
  /** The search for older rows found none for a while, and goes on when it is asked to. */
  isIdle: boolean;
  readOlder: () => void;
  /** Tries again what `failure` names. */
  retry: () => void;
  /** Whether a row was listed and no longer answers the filters. It stays where it is, and says so. */
  isStray: (row: ListRow) => boolean;
  /** Lets new rows slide in again after they came too fast. */
  followAgain: () => void;
  /** Tells which rows are in view, so that a renewal reads those and not all ten thousand. */
  look: (first: number, last: number) => void;
}

function useTaskQuery(slug: string, filters: TaskFilters) {
  return useInfiniteQuery(taskListQuery(slug, filters));
}

interface ListMood {
  /** New rows go in by themselves. */
  follows: boolean;
  /** The reader holds the rows, so that none of them changes. */
  isHeld: boolean;
}

/**
 * The task list that never moves under the pointer: pages by cursor, rows patched in place by pushes or polls, new rows
 * kept aside until asked for.
 */
export function useTaskList(slug: string, filters: TaskFilters, { follows, isHeld }: ListMood): TaskList {
  const client = useQueryClient();
  const query = useTaskQuery(slug, filters);
  const pollMs = usePollMs();
  // One follower per list: what the last list still has under way must not reach the next one.
  const follower = useMemo(
    () => createListFollower(filters, readsOf(slug, filters), cacheOf(client, slug, filters)),
    [client, slug, filters],
  );
  useEffect(() => () => follower.stop(), [follower]);
  const view = useSyncExternalStore(follower.view.subscribe, follower.view.get);

  useEffect(() => {
    const invalidate = () => follower.send({ type: "invalidated" });
    const offEvent = connection.listen((event) => {
      if (event.topic !== "task.changed") return;
      const { rows = [], removed = [], refetch } = event as HubEvent<"task.changed">;
      follower.send({ type: "changed", rows, removed });
      if (refetch) invalidate();
    });
    const offResume = connection.onResume(invalidate);
    return () => {
      offEvent();
      offResume();
    };
  }, [follower]);
  useEffect(() => {
    if (pollMs === false) return;
    const timer = setInterval(() => follower.send({ type: "invalidated" }), pollMs);
    return () => clearInterval(timer);
  }, [follower, pollMs]);
  const { isSuccess, fetchNextPage } = query;
  useEffect(() => {
    if (isSuccess) follower.send({ type: "loaded", isJustRead: isJustRead(client, slug, filters) });
  }, [client, slug, filters, follower, isSuccess]);
  useEffect(() => follower.send({ type: "followed", isFollowing: follows }), [follower, follows]);
  useEffect(() => follower.send({ type: "held", isHeld }), [follower, isHeld]);
  const isStray = useCallback((row: ListRow) => !matchesFilters(row, filters), [filters]);

  const look = useCallback(
    (first: number, last: number) => follower.send({ type: "scrolled", first, last }),
    [follower],
  );

  const rows = useMemo(() => rowsOf(query.data), [query.data]);
  return {
    ...view,
    query,
    rows,
    showPending: () => follower.send({ type: "pendingShown" }),
    isFull: rows.length >= maximumRows,
    isIdle: query.hasNextPage && isSearchIdle(query.data?.pages ?? []),
    readOlder: () => void follower.during(fetchNextPage),
    retry: () => follower.send({ type: "retried" }),
    isStray,
    followAgain: () => follower.send({ type: "followed", isFollowing: true }),
    look,
  };
}

/** Reads older pages while the loaded rows do not reach far enough below the last one shown. */
export function useOlderPages({ query, rows, isIdle, readOlder }: TaskList, lastShown: number): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  const isWanted = hasNextPage && !isIdle && lastShown + 1 >= rows.length * prefetchAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reading is the same whenever it begins
  useEffect(() => {
    if (isWanted && !isFetchingNextPage && !isFetchNextPageError) readOlder();
  }, [isWanted, isFetchingNextPage, isFetchNextPageError]);
}

function readsOf(slug: string, filters: TaskFilters): ListReads {
  return {
    page: async (until) =>
      listPage(await api.listTasks(slug, { ...filters, limit: pageSize, ...(until && { until }) })),
    async row(row) {
      try {
        return listRow(await api.getTask(slug, row.engine, row.task_id));
      } catch (error) {
        if (isProblem(error, "not_found")) return null;
        if (isProblem(error, "unaddressable")) return row;
        throw error;
      }
    },
    isPaused: () => connection.facts().isPaused,
    now: () => performance.now(),
    onFailure: noticeSignedOut,
  };
}

/** It was read a moment ago and the stream has not begun: once it has, every list is read again. */
function isJustRead(client: QueryClient, slug: string, filters: TaskFilters): boolean {
  const readAt = client.getQueryState(taskListQuery(slug, filters).queryKey)?.dataUpdatedAt ?? 0;
  return !connection.facts().isReady && Date.now() - readAt < justReadMs;
}

function cacheOf(client: QueryClient, slug: string, filters: TaskFilters): ListCache {
  const { queryKey } = taskListQuery(slug, filters);
  return {
    get: () => client.getQueryData(queryKey),
    set: (list) => void client.setQueryData(queryKey, list as InfiniteData<ListPage, string | null>),
    restart: () => void client.resetQueries({ queryKey, exact: true }),
  };
}
