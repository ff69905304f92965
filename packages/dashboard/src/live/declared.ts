import type { HubEvent, HubRows, HubTopic } from "@svc/client";
import type { Query, QueryClient } from "@tanstack/react-query";
import type { HubListener } from "./connection.ts";

// Live updates are declared: a query says in `meta.live` which change events concern it, and what they do to it. One
// listener applies them to every cached query. Reads that they ask for are throttled, and wait for one in flight.

export interface LiveRule<Topic extends HubTopic> {
  /** Puts a change event into the data; returns the same data when it does not concern it. */
  patch?(data: never, event: HubEvent<Topic>): unknown;
  /** Whether the event asks for a read. Default: when it does not carry the rows that changed. */
  isStale?(event: HubEvent<Topic>, data: never): boolean;
  /** How long such a read waits, so that one read covers many events. Default: 0. */
  delayMs?: number;
}

export interface Live {
  /** The slug of the project whose change events concern the query. */
  project?: string;
  on?: { [Topic in HubTopic]?: LiveRule<Topic> };
  /**
   * What becomes of it when the stream begins, also again after a gap or a pause: it is read again, or only once it is
   * older than its `staleTime` (figures that a timer reads anyway), or its timer is enough. Default: read.
   */
  onResume?: "read" | "read-if-stale" | "ignore";
}

type DeclaredMeta = {
  live?: Live;
  /** An answer that the session has ended does not sign out. */
  quiet?: boolean;
};

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: DeclaredMeta;
  }
}

/** How long a read that is asked for waits while another one of the query is in flight. */
const busyMs = 250;

interface Stream {
  listen(listener: HubListener): unknown;
  onResume(run: () => void): unknown;
  /** The slug of the project whose change events arrive. */
  project(): string | null;
}

/** Applies what the queries of the client declare. */
export function keepLive(client: QueryClient, stream: Stream): void {
  stream.listen((event) => {
    for (const query of client.getQueryCache().getAll()) {
      const live = query.meta?.live;
      if (live?.on && live.project === stream.project()) applyRule(client, query, live.on[event.topic], event);
    }
  });
  stream.onResume(() => {
    const isToRead = (query: Query) => {
      const live = query.meta?.live;
      if (!live || live.onResume === "ignore") return false;
      return live.onResume !== "read-if-stale" || query.isStale();
    };
    void client.invalidateQueries({ predicate: isToRead });
  });
}

function applyRule(client: QueryClient, query: Query, rule: LiveRule<never> | undefined, event: HubEvent): void {
  if (!rule) return;
  const data = query.state.data as never;
  const patched = data && rule.patch ? rule.patch(data, event as never) : data;
  if (patched !== data) client.setQueryData(query.queryKey, patched);
  const isStale = rule.isStale ? rule.isStale(event as never, data) : event.refetch === true;
  if (isStale) readSoon(client, query, rule.delayMs);
}

const waiting = new WeakMap<Query, ReturnType<typeof setTimeout>>();

/** Reads a query again after a while, once for all calls meanwhile. One that is not shown is only marked as stale. */
export function readSoon(client: QueryClient, query: Query, delayMs = 0): void {
  const isNow = !query.isActive() || (delayMs === 0 && query.state.fetchStatus !== "fetching");
  if (isNow) {
    void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    return;
  }
  if (waiting.has(query)) return;
  const timer = setTimeout(() => {
    waiting.delete(query);
    readSoon(client, query);
  }, delayMs || busyMs);
  waiting.set(query, timer);
}

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
