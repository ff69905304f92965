import { idsOf, type ListPage, type ListRow, type LoadedList, maximumRows, sizeOf } from "../../task-data/index.ts";

// Rows of the loaded list are patched in place by id, so nothing moves. New rows are inserted only on request.

/** The list with changed rows replaced. Returns the same object if it contains none of them. */
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

// A poll that was in flight when a push arrived must not restore the older row.
export function isNewer(row: ListRow | undefined, item: ListRow): row is ListRow {
  return row !== undefined && row !== item && Date.parse(row.updated_at) >= Date.parse(item.updated_at);
}

export function removeRows<List extends LoadedList>(list: List, ids: readonly string[]): List {
  const removed = new Set(ids);
  if (removed.size === 0) return list;
  return {
    ...list,
    pages: list.pages.map((page) =>
      page.items.some((item) => removed.has(item.id))
        ? {
            ...page,
            items: page.items.filter((item) => !removed.has(item.id)),
            oldest: page.oldest ?? page.items.at(-1),
          }
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

/**
 * Inserts rows in order. Rows older than everything loaded are left out, as paging will load them. Above `maximumRows`,
 * whole pages are dropped at the end; the cursor before them loads them again.
 */
export function insertRows<List extends LoadedList>(list: List, rows: readonly ListRow[]): List {
  const known = idsOf(list);
  const arriving = new Map(rows.map((row) => [row.id, row]));
  const fresh = [...arriving.values()].filter((row) => !known.has(row.id)).sort(byNewest);
  if (fresh.length === 0) return list;
  const homes = fresh.map((row) => [row, list.pages.find((page) => reachesTo(page, row))] as const);
  const pages = list.pages.map((page) => {
    const arriving = homes.filter(([, home]) => home === page).map(([row]) => row);
    return arriving.length === 0 ? page : { ...page, items: [...page.items, ...arriving].sort(byNewest) };
  });
  for (let size = sizeOf(pages); size > maximumRows && pages.length > 1; size = sizeOf(pages)) pages.pop();
  return { ...list, pages, pageParams: list.pageParams.slice(0, pages.length) };
}

/** Whether a row, if it is in the list, belongs on this page or an earlier one. */
export function reachesTo(page: ListPage, row: ListRow): boolean {
  if (page.next_cursor === null) return true;
  const oldest = page.oldest ?? page.items.at(-1);
  if (oldest !== undefined && byNewest(row, oldest) <= 0) return true;
  return page.reached !== null && Date.parse(row.received_at) > Date.parse(page.reached);
}

/** Rows that are missing from the list although it reaches back far enough to contain them. */
export function missingRows(list: LoadedList, rows: readonly ListRow[]): ListRow[] {
  const known = idsOf(list);
  return rows.filter((row) => !known.has(row.id) && list.pages.some((page) => reachesTo(page, row)));
}
