import type { HubEvent, HubTopic } from "@svc/client";
import type { Query, QueryClient } from "@tanstack/react-query";
import type { HubListener } from "./connection.ts";

// Live updates are declared: a query lists in `meta.live` the change events that concern it and how to apply them. One listener applies
// them to every cached query. The reads they trigger are throttled and wait for one in flight.

export interface LiveRule<Topic extends HubTopic> {
  /** Applies a change event to the data; returns the same object when it does not concern it. */
  patch?(data: never, event: HubEvent<Topic>): unknown;
  /** Whether the event triggers a read. Default: when it does not carry the changed rows. */
  isStale?(event: HubEvent<Topic>, data: never): boolean;
  /** Delay of the read, so that one read covers many events. Default: 0. */
  delayMs?: number;
}

export interface Live {
  /** The slug of the project whose change events concern the query. */
  project?: string;
  on?: { [Topic in HubTopic]?: LiveRule<Topic> };
  /**
   * What to do when the stream opens, also after a gap or a pause: read again, read only if older than `staleTime` (for polled figures),
   * or rely on polling. Default: read.
   */
  onResume?: "read" | "read-if-stale" | "ignore";
}

type DeclaredMeta = {
  live?: Live;
  /** Whether a 401 does not sign the user out. */
  quiet?: boolean;
};

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: DeclaredMeta;
  }
}

/** How long a triggered read waits while another read of the query is in flight. */
const busyMs = 250;

interface Stream {
  listen(listener: HubListener): () => void;
  onResume(run: () => void): () => void;
}

/** Applies the declared live updates to all queries. Returns a function that stops it. */
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

/** Refetches a query, or marks it as stale if it is not observed. */
const read = (client: QueryClient, { queryKey }: Query): void =>
  void client.invalidateQueries({ queryKey, exact: true });

const waiting = new WeakMap<Query, unknown>();

/** Refetches a query after a delay, once for all calls in between. */
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
