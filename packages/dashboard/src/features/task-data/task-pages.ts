import type { Task, TaskPage, TaskRow } from "@svc/client";

// The loaded part of a task list: pages in cursor order, newest first.

/** A row of the list, without arguments and result; the task page reads those itself. */
export type ListRow = TaskRow;

/** A page may have any length: large rows fill it early, and a search stops at its time limit. */
export interface ListPage {
  items: ListRow[];
  next_cursor: string | null;
  /** How far back a search got before its time limit. */
  reached: string | null;
  /** The last row of the response, set once rows are removed: the page still reaches that far. */
  oldest?: ListRow | undefined;
}

export interface LoadedList {
  pages: ListPage[];
  pageParams: unknown[];
}

export const pageSize = 200;
export const maximumRows = 10_000;

/** Keeps only what the list shows, so that arguments and results of 10,000 tasks don't stay in memory. */
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
 * Merges `next`, either a change of the list or the response of a read that started from an earlier version of it. Such a
 * response only adds its last page; a page that no longer continues the list is dropped.
 */
export function mergeList(now: LoadedList | undefined, next: LoadedList): LoadedList {
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

/** Consecutive empty pages after which a search asks the user whether to continue. */
const emptyPageLimit = 10;

/** Whether a search for older rows found nothing for so long that it asks before continuing. */
export function isSearchIdle(pages: readonly ListPage[]): boolean {
  const found = pages.findLastIndex((page) => page.items.length > 0);
  const empty = pages.length - 1 - found;
  return empty > 0 && empty % emptyPageLimit === 0;
}
