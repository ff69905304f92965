import type { FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/** Starts the reads that a page begins with, those that its address alone decides. `search` is as the address has it. */
export type PageLoader<Params = object> = (at: {
  params: Params;
  location: { search: Record<string, unknown> };
}) => Promise<unknown>;

/** Reads what a page is about to read. It never fails: the page then reads again, and reports what goes wrong. */
export function readAhead<Data, Fault, Selected, Key extends QueryKey>(
  query: FetchQueryOptions<Data, Fault, Selected, Key>,
): Promise<void> {
  return queryClient.prefetchQuery({ ...query, meta: { ...query.meta, quiet: true } });
}
