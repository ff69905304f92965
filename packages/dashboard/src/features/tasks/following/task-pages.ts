import type { Task, TaskPage, TaskRow } from "@svc/client";

// The loaded part of a task list: pages newest first, as they came by cursor.

/** A row of the list. Rows that were only pushed lack arguments and result; the task page reads those itself. */
export type ListRow = TaskRow;

/** A page has any length: large rows fill one early, and a search stops when its time is used up. */
export interface ListPage {
  items: ListRow[];
  next_cursor: string | null;
  /** How far back a search that ran out of time has looked. */
  reached: string | null;
}

export interface LoadedList {
  pages: ListPage[];
  pageParams: unknown[];
}

export const pageSize = 200;
export const maximumRows = 10_000;

/** Keeps of an answer what the list shows; arguments and results of ten thousand tasks do not belong in memory. */
export function listPage(page: TaskPage): ListPage {
  return {
    next_cursor: page.next_cursor,
    reached: page.partial?.reached ?? null,
    items: page.items.map(listRow),
  };
}

export function listRow({ args, kwargs, result, traceback, ...row }: Task): ListRow {
  return row;
}

/**
 * What the list is once `next` has come: a change of the list itself, or an answer that was begun with the list as it
 * was then. Such an answer adds its last page and undoes nothing; a page that no longer continues the list is dropped.
 */
export function joinAnswer(now: LoadedList | undefined, next: LoadedList): LoadedList {
  const cursor = next.pageParams.at(-1) ?? null;
  const added = next.pages.at(-1);
  if (!now || !added || cursor === null || now.pageParams.includes(cursor)) return next;
  if (now.pages.at(-1)?.next_cursor !== cursor) return now;
  const known = idsOf(now);
  const items = added.items.filter((item) => !known.has(item.id));
  return { pages: [...now.pages, { ...added, items }], pageParams: [...now.pageParams, cursor] };
}

export function idsOf(list: LoadedList): Set<string> {
  return new Set(list.pages.flatMap((page) => page.items.map((item) => item.id)));
}

export function sizeOf(pages: readonly ListPage[]): number {
  return pages.reduce((sum, page) => sum + page.items.length, 0);
}

export function rowsOf(list: LoadedList | undefined): ListRow[] {
  return list ? list.pages.flatMap((page) => page.items) : [];
}

/** Pages without a row that a search answers before it stops and asks whether to go on. */
const searchStretch = 10;

/** Whether a search for older rows has come up empty for long enough to ask before it goes on. */
export function isSearchIdle(pages: readonly ListPage[]): boolean {
  const found = pages.findLastIndex((page) => page.items.length > 0);
  const empty = pages.length - 1 - found;
  return empty > 0 && empty % searchStretch === 0;
}
