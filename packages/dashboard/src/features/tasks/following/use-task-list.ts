import { type HubEvent, isProblem, type TaskFilters } from "@svc/client";
import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { api } from "../../../api/api.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { connection, usePollMs } from "../../../live/live.ts";
import {
  isSearchIdle,
  type ListPage,
  type ListRow,
  listPage,
  listRow,
  maximumRows,
  pageSize,
  rowsOf,
  taskListQuery,
} from "../../task-data/index.ts";
import { matchesFilters } from "./filter-match.ts";
import { createListFollower, type ListCache, type ListReads, type ListView } from "./list-follower.ts";

/** Scrolling past this share of the loaded rows loads the next older page. */
const prefetchAt = 0.7;
/** A list fetched by the page load is younger than this; a revisited list is older. */
const justReadMs = 2_000;

export interface TaskList extends ListView {
  query: ReturnType<typeof useTaskQuery>;
  rows: ListRow[];
  showPending: () => void;
  isFull: boolean;
  /** The search for older rows found none for a while; it continues on request. */
  isIdle: boolean;
  readOlder: () => void;
  /** Retries the read that failed with `failure`. */
  retry: () => void;
  /** Whether a listed row no longer matches the filters. It stays in place, with a note. */
  isStray: (row: ListRow) => boolean;
  /** Resumes the live tail after it paused because new rows came too fast. */
  followAgain: () => void;
  /** Reports the visible rows, so that a refresh reads those and not all 10,000. */
  setVisible: (first: number, last: number) => void;
}

function useTaskQuery(slug: string, filters: TaskFilters) {
  return useInfiniteQuery(taskListQuery(slug, filters));
}

interface ListMood {
  /** New rows are inserted automatically. */
  follows: boolean;
  /** The user selects or reads rows, so none of them may change. */
  isFrozen: boolean;
}

/**
 * The task list, which never moves under the pointer: pages by cursor, rows patched in place by pushes or polls, and new
 * rows held back until the user shows them.
 */
export function useTaskList(slug: string, filters: TaskFilters, { follows, isFrozen }: ListMood): TaskList {
  const client = useQueryClient();
  const query = useTaskQuery(slug, filters);
  const pollMs = usePollMs();
  // One follower per list, so that pending reads of the previous list cannot change the next one.
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
  useEffect(() => follower.send({ type: "frozen", isFrozen }), [follower, isFrozen]);
  const isStray = useCallback((row: ListRow) => !matchesFilters(row, filters), [filters]);

  const setVisible = useCallback(
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
    setVisible,
  };
}

/** Loads older pages while too few loaded rows remain below the last visible one. */
export function useOlderPages({ query, rows, isIdle, readOlder }: TaskList, lastShown: number): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  const isWanted = hasNextPage && !isIdle && lastShown + 1 >= rows.length * prefetchAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: readOlder behaves the same in every render
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

/** Whether the list was just read and the event stream has not started; its start refreshes every list anyway. */
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
