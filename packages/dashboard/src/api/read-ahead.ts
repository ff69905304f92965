import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/** Starts the reads that a page begins with, those that its address alone decides. `search` is as the address has it. */
export type PageLoader<Params = object> = (at: {
  params: Params;
  location: { search: Record<string, unknown> };
}) => Promise<unknown>;

/** Reads what a page is about to read. It never fails: the page then reads again, and reports what goes wrong. */
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

/** A suspense query would throw the error that is remembered instead of reading again. Once a page has the read, it is no longer quiet. */
function forgetFailure(queryKey: QueryKey): void {
  const reads = queryClient.getQueryCache();
  const read = reads.find({ queryKey, exact: true });
  if (read?.state.status === "error" && read.state.data === undefined && read.meta?.quiet) reads.remove(read);
}
