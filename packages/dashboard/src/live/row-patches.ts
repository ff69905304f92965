import type { HubRows, HubTopic } from "@svc/client";

// How change events are put into what was read of rows.

interface Change<Row> {
  rows?: Row[];
  removed?: string[];
}

/** Of a list on one page: changed rows replaced where they are, new ones at the end, removed ones left out. */
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

/** Of one row: its own among those that changed. */
export const patchOwnRow = <Row extends HubRows[HubTopic]>(
  whole: Row,
  { rows = [] }: Change<HubRows[HubTopic]>,
): Row => {
  const own = rows.find((row) => row.id === whole.id);
  return own ? { ...whole, ...own } : whole;
};
