import type { TaskFilters } from "@svc/client";
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { activeFilters, type TasksSearch, taskListQuery } from "../../task-data/index.ts";

/** The user's place in a list: scroll offset and current row. */
interface ListPlace {
  top: number;
  currentId: string | null;
}

// Keyed by history entry, so that Back restores the list and a new visit starts at the top. The filters are part of the
// key, as the history entry changes a moment before the list does.
const places = new Map<string, ListPlace>();
const maximumPlaces = 100;

function savedPlace(entry: string, filterText: string): ListPlace | null {
  return places.get(`${entry} ${filterText}`) ?? null;
}

function savePlace(entry: string, filterText: string, place: ListPlace): void {
  putLast(places, `${entry} ${filterText}`, place, maximumPlaces);
}

const nearTopPx = 4;

/** The user's place in the current list, per set of filters, restored by Back. */
export function useSavedPlace(entry: string, filterText: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once per shown list
  const left = useMemo(() => savedPlace(entry, filterText), [filterText]);
  const leftTop = left?.top ?? 0;
  const top = useRef(leftTop);
  const [isTop, setTop] = useState(leftTop < nearTopPx);
  const [currentId, setCurrentId] = useState(left?.currentId ?? null);
  const [shownText, setShownText] = useState(filterText);
  if (shownText !== filterText) {
    setShownText(filterText);
    setTop(leftTop < nearTopPx);
    if (left) setCurrentId(left.currentId);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per shown list
  useLayoutEffect(() => {
    top.current = leftTop;
  }, [filterText]);
  const save = () => savePlace(entry, filterText, { top: top.current, currentId });
  useEffect(save, [entry, filterText, currentId]);
  return {
    /** Null for a list without a saved place. */
    leftTop: left?.top ?? null,
    isTop,
    currentId,
    setCurrentId,
    onScroll(to: number) {
      top.current = to;
      save();
      setTop(to < nearTopPx);
    },
  };
}

// The timestamps that a URL's ages were resolved to when its list was last read.
const bounds = new Map<string, TaskFilters>();
const maximumBounds = 20;

/** The filters of a URL as text; equal for the list, its drawer and its task pages. */
export function filterTextOf(search: TasksSearch): string {
  return JSON.stringify(activeFilters(search).map((key) => [key, search[key]]));
}

/** The filters that this URL's list was last read with, if that list is still cached. */
export function savedFilters(client: QueryClient, slug: string, search: TasksSearch): TaskFilters | null {
  const filters = bounds.get(`${slug} ${filterTextOf(search)}`);
  const isCached = filters && client.getQueryData(taskListQuery(slug, filters).queryKey) !== undefined;
  return isCached ? filters : null;
}

export function saveFilters(slug: string, filterText: string, filters: TaskFilters): void {
  putLast(bounds, `${slug} ${filterText}`, filters, maximumBounds);
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value, maximum: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > maximum && oldest !== undefined) map.delete(oldest);
}
