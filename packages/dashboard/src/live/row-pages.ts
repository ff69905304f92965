import type { InfiniteData } from "@tanstack/react-query";

export interface RowPage<Row> {
  items: Row[];
  next_cursor: string | null;
}

interface Change<Row> {
  rows?: Row[];
  removed?: string[];
}

/** The distinct rows of all loaded pages: a pushed row may also be in a page loaded later. */
export function rowsOf<Row extends { id: string }>(data: InfiniteData<RowPage<Row>>): Row[] {
  const byId = new Map(data.pages.flatMap((page) => page.items).map((row) => [row.id, row]));
  return [...byId.values()];
}

/** Replaces changed rows in place, appends new ones to the last page, and drops removed ones. */
export function patchPages<Row extends { id: string }, Param>(
  data: InfiniteData<RowPage<Row>, Param>,
  { rows = [], removed = [] }: Change<Row>,
): InfiniteData<RowPage<Row>, Param> {
  const changed = new Map(rows.map((row) => [row.id, row]));
  const removedIds = new Set(removed);
  const known = new Set(data.pages.flatMap((page) => page.items.map((item) => item.id)));
  const added = rows.filter((row) => !known.has(row.id) && !removedIds.has(row.id));
  const last = data.pages.length - 1;
  return {
    ...data,
    pages: data.pages.map((page, at) => ({
      ...page,
      items: [
        ...page.items
          .filter((item) => !removedIds.has(item.id))
          .map((item) => (changed.has(item.id) ? { ...item, ...changed.get(item.id) } : item)),
        ...(at === last ? added : []),
      ],
    })),
  };
}
