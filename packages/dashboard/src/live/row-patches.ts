import type { HubRows, HubTopic } from "@svc/client";

// Applies change events to loaded rows.

interface Change<Row> {
  rows?: Row[];
  removed?: string[];
}

/** For a list of one page: replaces changed rows in place, appends new ones, and drops removed ones. */
export function patchRows<Row extends { id: string }>(
  page: { items: Row[] },
  { rows = [], removed = [] }: Change<Row>,
): { items: Row[] } {
  const known = new Set(page.items.map(({ id }) => id));
  const changed = new Map(rows.map((row) => [row.id, row]));
  const isRemoved = new Set(removed);
  const added = [...changed.values()].filter(({ id }) => !known.has(id) && !isRemoved.has(id));
  const kept = page.items.filter(({ id }) => !isRemoved.has(id));
  const items = kept.map((item) => (changed.has(item.id) ? { ...item, ...changed.get(item.id) } : item));
  return { ...page, items: [...items, ...added] };
}

/** For a single row: picks it from the changed rows. */
export const patchOwnRow = <Row extends HubRows[HubTopic]>(
  whole: Row,
  { rows = [] }: Change<HubRows[HubTopic]>,
): Row => {
  const own = rows.find((row) => row.id === whole.id);
  return own ? { ...whole, ...own } : whole;
};
