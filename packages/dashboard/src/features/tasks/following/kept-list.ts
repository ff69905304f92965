import type { TaskFilters } from "@svc/client";
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { activeFilters, type TasksSearch } from "../filters/tasks-search.ts";
import { taskListQuery } from "../queries.ts";

/** Where a reader was in a list: how far it was scrolled, and which row was the current one. */
interface ListPlace {
  top: number;
  currentId: string | null;
}

// By entry of the browser's history, so that Back finds the list as it was left, and a new visit starts at the top. The
// filters belong to it: the entry of the address changes a moment before the list that it shows.
const places = new Map<string, ListPlace>();
const maximumPlaces = 100;

function placeAt(entry: string, filterText: string): ListPlace | null {
  return places.get(`${entry} ${filterText}`) ?? null;
}

function keepPlace(entry: string, filterText: string, place: ListPlace): void {
  putLast(places, `${entry} ${filterText}`, place, maximumPlaces);
}

const nearTopPx = 4;

/** The place of the reader in the list on screen, which follows the filters; Back finds it as it was left. */
export function useKeptPlace(entry: string, filterText: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each list that comes on screen
  const left = useMemo(() => placeAt(entry, filterText), [filterText]);
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list that comes on screen
  useLayoutEffect(() => {
    top.current = leftTop;
  }, [filterText]);
  const keep = () => keepPlace(entry, filterText, { top: top.current, currentId });
  useEffect(keep, [entry, filterText, currentId]);
  return {
    /** Null in a list that was not left before. */
    leftTop: left?.top ?? null,
    isTop,
    currentId,
    setCurrentId,
    onScroll(to: number) {
      top.current = to;
      keep();
      setTop(to < nearTopPx);
    },
  };
}

// The instants that the ages of an address were counted back to when its list was last read.
const bounds = new Map<string, TaskFilters>();
const maximumBounds = 20;

/** The filters of an address as text: the same for the list, its drawer, and the pages of its tasks. */
export function filterTextOf(search: TasksSearch): string {
  return JSON.stringify(activeFilters(search).map((key) => [key, search[key]]));
}

/** The filters that the list of this address was last read with, while it is still here. */
export function keptFilters(client: QueryClient, slug: string, search: TasksSearch): TaskFilters | null {
  const filters = bounds.get(`${slug} ${filterTextOf(search)}`);
  const isHere = filters && client.getQueryData(taskListQuery(slug, filters).queryKey) !== undefined;
  return isHere ? filters : null;
}

export function keepFilters(slug: string, filterText: string, filters: TaskFilters): void {
  putLast(bounds, `${slug} ${filterText}`, filters, maximumBounds);
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value, maximum: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > maximum && oldest !== undefined) map.delete(oldest);
}
