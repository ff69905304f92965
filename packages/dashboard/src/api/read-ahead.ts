import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/** Starts the first reads of a page, which depend on its URL only. `search` is unvalidated. */
export type PageLoader<Params = object> = (at: {
  params: Params;
  location: { search: Record<string, unknown> };
}) => Promise<unknown>;

/** Prefetches a query. Never rejects: on failure, the page reads again and reports the error. */
export async function readAhead<Data, Fault, Selected, Key extends QueryKey>(
  query: FetchQueryOptions<Data, Fault, Selected, Key>,
): Promise<void> {
  await queryClient.prefetchQuery({ ...query, meta: { ...query.meta, quiet: true } });
  forgetFailure(query.queryKey);
}

/** The same for the first page of a list. */
export async function readPageAhead<Data, Fault, Selected, Key extends QueryKey, Param>(
  query: FetchInfiniteQueryOptions<Data, Fault, Selected, Key, Param>,
): Promise<void> {
  await queryClient.prefetchInfiniteQuery({ ...query, meta: { ...query.meta, quiet: true } });
  forgetFailure(query.queryKey);
}

/** Drops a cached error, which a suspense query would throw instead of reading again. Once a page uses the query, it is no longer quiet. */
function forgetFailure(queryKey: QueryKey): void {
  const reads = queryClient.getQueryCache();
  const read = reads.find({ queryKey, exact: true });
  if (read?.state.status === "error" && read.state.data === undefined && read.meta?.quiet) reads.remove(read);
}
