import type { BulkRetryOutcome, BulkRetryRequest, HubEvent } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";

const pageRows = 100;
const listRows = 50;
/** The number of pages of tasks that refresh automatically. With more pages loaded, the user refreshes them. */
export const maximumLivePages = 3;

/** Poll interval of a bulk retry that has not ended, in addition to change events of its commands. */
export const openPollMs = 3_000;
/** Poll interval before it is sealed: no change event reports the search. */
const sealingPollMs = 1_000;

/** The time to the next read of a bulk retry; false once it has ended, and while polling is off. */
export function nextReadMs(read: BulkRetryRequest | undefined, pollMs: number | false): number | false {
  if (pollMs === false || (read !== undefined && hasEnded(read))) return false;
  return read?.status === "sealing" ? sealingPollMs : pollMs;
}

const isOfBulkRetry = ({ rows = [], refetch }: HubEvent<"command.changed">): boolean =>
  refetch === true || rows.some(({ action }) => action === "bulk_retry");

export const bulkRetryQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["bulk-retry", slug, id],
    queryFn: ({ signal }) => api.getBulkRetry(slug, id, { signal }),
    meta: {
      live: {
        project: slug,
        on: {
          "command.changed": {
            isStale: (event, read: BulkRetryRequest | undefined) =>
              isOfBulkRetry(event) && (read === undefined || !hasEnded(read)),
          },
        },
      },
    },
  });

/** The bulk retries of the project, newest first. */
export const bulkRetryPages = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ["bulk-retries", slug],
    queryFn: ({ pageParam, signal }) =>
      api.listBulkRetries(slug, { limit: listRows, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 2_000,
    meta: { live: { project: slug, on: { "command.changed": { isStale: isOfBulkRetry } } } },
  });

/** Never stale once it is sealed. */
export const planQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["bulk-retry-plan", slug, id],
    queryFn: ({ signal }) => api.getBulkRetryPlan(slug, id, { signal }),
    staleTime: ({ state }) =>
      state.data === undefined || state.data.engines.length === 0 ? 0 : Number.POSITIVE_INFINITY,
  });

export const childrenQuery = (slug: string, id: string, outcome: BulkRetryOutcome | undefined) =>
  infiniteQueryOptions({
    queryKey: ["bulk-retry-children", slug, id, outcome ?? ""],
    queryFn: ({ pageParam, signal }) =>
      api.listBulkRetryChildren(
        slug,
        id,
        { limit: pageRows, ...(outcome && { outcome }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });

/** Whether every task has its outcome. */
export const hasEnded = ({ counts, status }: Pick<BulkRetryRequest, "counts" | "status">): boolean =>
  status !== "sealing" && counts.unobserved === 0;
