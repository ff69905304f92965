import type { HubRows } from "@svc/client";
import { infiniteQueryOptions, type QueryKey, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { usePollMs } from "./live.ts";
import { patchPages, type RowPage, rowsOf } from "./row-pages.ts";

/** Lists sorted on the client are loaded completely up to this many rows; a button loads more. */
const readAheadRows = 2000;

interface RowPages<Topic extends keyof HubRows> {
  project: string;
  topic: Topic;
  queryKey: QueryKey;
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<RowPage<HubRows[Topic]>>;
}

/** The query of such a list. */
export const rowPagesQuery = <Topic extends keyof HubRows>({ project, topic, queryKey, read }: RowPages<Topic>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    meta: { live: { project, on: { [topic]: { patch: patchPages } } } },
  });

/** All rows of a list that is paged by cursor and updated by change events. */
export function useRowPages<Topic extends "queue.changed" | "worker.changed">(list: RowPages<Topic>) {
  const pages = useSuspenseInfiniteQuery({ ...rowPagesQuery(list), refetchInterval: usePollMs() });
  const rows = useMemo(() => rowsOf<HubRows[Topic]>(pages.data), [pages.data]);
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages;
  const isReadingAhead = hasNextPage && rows.length < readAheadRows && !isError;
  useEffect(() => {
    if (isReadingAhead && !isFetching) void fetchNextPage();
  }, [isReadingAhead, isFetching, fetchNextPage]);
  return {
    rows,
    hasMore: hasNextPage && !isReadingAhead,
    readMore: () => void fetchNextPage(),
    /** With data, refreshing failed and the rows are stale. */
    error: pages.error,
    data: pages.data,
    refetch: pages.refetch,
  };
}
