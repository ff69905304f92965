export interface PageSizes {
  SVC_REST_DEFAULT_PAGE_SIZE: number;
  SVC_REST_MAX_PAGE_SIZE: number;
}

/** Rows of a page: absent, zero or negative means the default, more than the maximum is clamped. */
export function clampLimit(limit: number | undefined, sizes: PageSizes): number {
  const asked = limit === undefined || limit <= 0 ? sizes.SVC_REST_DEFAULT_PAGE_SIZE : limit;
  return Math.min(asked, sizes.SVC_REST_MAX_PAGE_SIZE);
}

/**
 * Removes the extra row that a list read beyond its page, and returns where the next page starts.
 *
 * @param rows at most `limit + 1` rows, in page order.
 */
export function pageOf<Row>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { items: Row[]; next_cursor: string | null } {
  if (rows.length <= limit) return { items: rows, next_cursor: null };
  const items = rows.slice(0, limit);
  return { items, next_cursor: cursorOf(items[limit - 1]!) };
}
