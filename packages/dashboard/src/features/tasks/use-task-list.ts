import type { TaskFilters } from "@svc/client";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { api } from "../../api.ts";
import { useHub, usePollMs } from "../../live/live.ts";
import { matchesFilters } from "./filter-match.ts";
import { taskListQuery } from "./queries.ts";
import {
  insertRows,
  type ListRow,
  type LoadedList,
  listPage,
  maximumRows,
  missingRows,
  pageSize,
  patchRows,
  removeRows,
  rowsOf,
} from "./task-pages.ts";

/** At least this long between two reads that a "too many changed" push asks for. */
const refetchSpacingMs = 2_000;
const tintMs = 700;

export interface TaskList {
  query: ReturnType<typeof useTaskQuery>;
  rows: ListRow[];
  /** Rows that arrived and are not in the list yet; at `pageSize` it means "or more". */
  freshCount: number;
  showFresh: () => void;
  /** Ids put into the list a moment ago. */
  justIn: ReadonlySet<string>;
  isFull: boolean;
  /** Tells which loaded page is in view, so that a renewal reads that one and not all fifty. */
  setVisiblePage: (page: number) => void;
}

function useTaskQuery(slug: string, filters: TaskFilters) {
  return useInfiniteQuery(taskListQuery(slug, filters));
}

/**
 * The task list that never moves under the pointer: pages by cursor, rows patched in place by pushes or polls, new rows
 * kept aside until asked for. With `follows`, new rows go in at once.
 */
export function useTaskList(slug: string, filters: TaskFilters, follows: boolean): TaskList {
  const client = useQueryClient();
  const query = useTaskQuery(slug, filters);
  const key = taskListQuery(slug, filters).queryKey;
  const fresh = useRef(new Map<string, ListRow>());
  const [freshCount, setFreshCount] = useState(0);
  const [justIn, setJustIn] = useState<ReadonlySet<string>>(new Set());
  const visiblePage = useRef(0);
  const pollMs = usePollMs();

  const update = (change: (list: LoadedList) => LoadedList) =>
    client.setQueryData(key, (old) => old && (change(old) as typeof old));

  const insert = (rows: ListRow[]) => {
    update((old) => insertRows(old, rows));
    setJustIn(new Set(rows.map((row) => row.id)));
  };
  useEffect(() => {
    if (justIn.size === 0) return;
    const timer = setTimeout(() => setJustIn(new Set()), tintMs);
    return () => clearTimeout(timer);
  }, [justIn]);

  // A push that comes while the first page is still on its way: that page may have been read before it.
  const isOutrun = useRef(false);
  const take = (rows: ListRow[]) => {
    const list = client.getQueryData(key);
    if (!list) isOutrun.current = true;
    if (!list || rows.length === 0) return;
    update((old) => patchRows(old, rows));
    const arrived = missingRows(list, rows).filter((row) => matchesFilters(row, filters));
    if (arrived.length === 0) return;
    const isEmpty = rowsOf(list).length === 0;
    if ((follows || isEmpty) && arrived.length < pageSize) {
      insert(arrived);
      return;
    }
    for (const row of arrived) {
      if (fresh.current.size >= pageSize && !fresh.current.has(row.id)) break;
      fresh.current.set(row.id, row);
    }
    setFreshCount(fresh.current.size);
  };

  const renew = async () => {
    const list = client.getQueryData(key);
    if (!list) {
      isOutrun.current = true;
      return;
    }
    const params = list.pageParams as (string | null)[];
    const wanted = new Set([0, visiblePage.current].filter((page) => page < params.length));
    for (const page of wanted) {
      const cursor = params[page];
      const answer = await api
        .listTasks(slug, { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) })
        .catch(() => null);
      if (answer) take(listPage(answer).items);
    }
  };

  const renewing = useRef({ isBusy: false, isWanted: false });
  const scheduleRenewal = useEffectEvent(async () => {
    if (renewing.current.isBusy) {
      renewing.current.isWanted = true;
      return;
    }
    renewing.current = { isBusy: true, isWanted: false };
    await renew();
    setTimeout(() => {
      const { isWanted } = renewing.current;
      renewing.current = { isBusy: false, isWanted: false };
      if (isWanted) void scheduleRenewal();
    }, refetchSpacingMs);
  });

  useHub("task.changed", (event) => {
    if (event.removed?.length) {
      update((old) => removeRows(old, event.removed ?? []));
      for (const id of event.removed) fresh.current.delete(id);
      setFreshCount(fresh.current.size);
    }
    if (event.rows?.length) take(event.rows);
    if (event.refetch) void scheduleRenewal();
  });

  useEffect(() => {
    if (pollMs === false) return;
    const timer = setInterval(() => void scheduleRenewal(), pollMs);
    return () => clearInterval(timer);
  }, [pollMs]);

  const { isSuccess } = query;
  useEffect(() => {
    if (!isSuccess || !isOutrun.current) return;
    isOutrun.current = false;
    void scheduleRenewal();
  }, [isSuccess]);

  // Coming back to a list that was left: its rows are old, and nothing was pushed for it meanwhile.
  const filterKey = JSON.stringify([slug, filters]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per list, not per render
  useEffect(() => {
    fresh.current.clear();
    setFreshCount(0);
    visiblePage.current = 0;
    if (client.getQueryData(key)) void scheduleRenewal();
  }, [filterKey]);

  const showFresh = () => {
    const rows = [...fresh.current.values()];
    const isMore = fresh.current.size >= pageSize;
    fresh.current.clear();
    setFreshCount(0);
    // With a whole page or more aside there may be a hole below it, so the list starts again from the top.
    if (isMore) void client.resetQueries({ queryKey: key });
    else insert(rows);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: what follows from turning it on is what is aside now
  useEffect(() => {
    if (follows && fresh.current.size > 0) showFresh();
  }, [follows]);

  const rows = rowsOf(query.data);
  return {
    query,
    rows,
    freshCount,
    showFresh,
    justIn,
    isFull: rows.length >= maximumRows,
    setVisiblePage: (page) => {
      visiblePage.current = page;
    },
  };
}
