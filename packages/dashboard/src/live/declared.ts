import type { HubEvent, HubTopic } from "@svc/client";
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
  listen(listener: HubListener): () => void;
  onResume(run: () => void): () => void;
}

/** Applies what queries declare, while the stream follows a project or none. Returns a function that ends it. */
export function keepLive(client: QueryClient, stream: Stream, project: string | undefined): () => void {
  const queries = client.getQueryCache();
  const offEvent = stream.listen((event) => {
    for (const query of queries.getAll()) {
      const live = query.meta?.live;
      const rule: LiveRule<never> | undefined = live?.project === project ? live?.on?.[event.topic] : undefined;
      if (rule) applyRule(client, query, rule, event as never);
    }
  });
  const offResume = stream.onResume(() => {
    for (const query of queries.getAll()) {
      const live = query.meta?.live;
      const { onResume = "read" } = live ?? { onResume: "ignore" };
      if (onResume === "read" || (onResume === "read-if-stale" && query.isStale())) read(client, query);
    }
  });
  return () => {
    offEvent();
    offResume();
  };
}

function applyRule(client: QueryClient, query: Query, rule: LiveRule<never>, event: HubEvent<never>): void {
  const data = query.state.data as never;
  const patched = data && rule.patch ? rule.patch(data, event) : data;
  if (patched !== data) client.setQueryData(query.queryKey, patched);
  if (rule.isStale ? rule.isStale(event, data) : event.refetch) readSoon(client, query, rule.delayMs);
}

/** Has a query read again, or marks one that is not shown as stale. */
const read = (client: QueryClient, { queryKey }: Query): void =>
  void client.invalidateQueries({ queryKey, exact: true });

const waiting = new WeakMap<Query, unknown>();

/** Has a query read again after a while, once for all calls meanwhile. */
export function readSoon(client: QueryClient, query: Query, delayMs = 0): void {
  if (!query.isActive() || (!delayMs && query.state.fetchStatus !== "fetching")) read(client, query);
  else if (!waiting.has(query)) {
    const again = () => {
      waiting.delete(query);
      readSoon(client, query);
    };
    waiting.set(query, setTimeout(again, delayMs || busyMs));
  }
}
