import type { TaskPage, TaskRow } from "@svc/client";

// The loaded part of a task list: pages newest first, as they came by cursor. Rows are patched in place by id and nothing
// moves; rows that are not yet in the list are only put there when the reader asks for them.

/** A row of the list. Rows that were only pushed lack arguments and result; the task page reads those itself. */
export type ListRow = TaskRow;

export interface ListPage {
  items: ListRow[];
  next_cursor: string | null;
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
    items: page.items.map(({ args, kwargs, result, traceback, ...row }) => row),
  };
}

/** The same list with changed rows replaced. Returns the same object when none of them is in it. */
export function patchRows<List extends LoadedList>(list: List, rows: readonly ListRow[]): List {
  const changed = new Map(rows.map((row) => [row.id, row]));
  let isChanged = false;
  const pages = list.pages.map((page) => {
    if (!page.items.some((item) => isNewer(changed.get(item.id), item))) return page;
    isChanged = true;
    const items = page.items.map((item) => {
      const row = changed.get(item.id);
      return isNewer(row, item) ? { ...item, ...row } : item;
    });
    return { ...page, items };
  });
  return isChanged ? { ...list, pages } : list;
}

// A poll that was under way when a push arrived must not put the older row back.
function isNewer(row: ListRow | undefined, item: ListRow): row is ListRow {
  return row !== undefined && row !== item && Date.parse(row.updated_at) >= Date.parse(item.updated_at);
}

export function removeRows<List extends LoadedList>(list: List, ids: readonly string[]): List {
  const gone = new Set(ids);
  if (gone.size === 0) return list;
  return {
    ...list,
    pages: list.pages.map((page) =>
      page.items.some((item) => gone.has(item.id))
        ? { ...page, items: page.items.filter((item) => !gone.has(item.id)) }
        : page,
    ),
  };
}

/** Newest first: by (received_at, id), as the API orders tasks. */
export function byNewest(a: ListRow, b: ListRow): number {
  const difference = Date.parse(b.received_at) - Date.parse(a.received_at);
  if (difference !== 0) return difference;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** Puts rows where the order wants them. Rows older than everything loaded are left out: paging will bring them. */
export function insertRows<List extends LoadedList>(list: List, rows: readonly ListRow[]): List {
  const known = idsOf(list);
  const arriving = new Map(rows.map((row) => [row.id, row]));
  const fresh = [...arriving.values()].filter((row) => !known.has(row.id)).sort(byNewest);
  if (fresh.length === 0) return list;
  const homes = fresh.map((row) => [row, homeOf(list.pages, row)] as const);
  return {
    ...list,
    pages: list.pages.map((page) => {
      const arriving = homes.filter(([, home]) => home === page).map(([row]) => row);
      return arriving.length === 0 ? page : { ...page, items: [...page.items, ...arriving].sort(byNewest) };
    }),
  };
}

/** The page that a row belongs to: the first that reaches back to it, or the last one when nothing is below. */
function homeOf(pages: readonly ListPage[], row: ListRow): ListPage | undefined {
  const last = pages.at(-1);
  const found = pages.find((page) => {
    const oldest = page.items.at(-1);
    return oldest !== undefined && byNewest(row, oldest) <= 0;
  });
  return found ?? (last?.next_cursor === null ? last : undefined);
}

function idsOf(list: LoadedList): Set<string> {
  return new Set(list.pages.flatMap((page) => page.items.map((item) => item.id)));
}

export function rowsOf(list: LoadedList | undefined): ListRow[] {
  return list ? list.pages.flatMap((page) => page.items) : [];
}

/** Rows that the list lacks although it reaches back far enough to hold them. */
export function missingRows(list: LoadedList, rows: readonly ListRow[]): ListRow[] {
  const known = idsOf(list);
  const last = list.pages.at(-1);
  const oldest = last?.items.at(-1) ?? list.pages.at(-2)?.items.at(-1);
  const reachesEnd = last?.next_cursor === null;
  return rows.filter(
    (row) => !known.has(row.id) && (reachesEnd || (oldest !== undefined && byNewest(row, oldest) < 0)),
  );
}
