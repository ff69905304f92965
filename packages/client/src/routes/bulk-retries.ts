import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  BulkRetryBody,
  BulkRetryChildPage,
  BulkRetryChildQuery,
  BulkRetryListQuery,
  BulkRetryPage,
  BulkRetryPlan,
  BulkRetryRequest,
} from "../types/bulk-retries.ts";

/** For sessions only: an API key is refused. */
export function bulkRetryRoutes(send: Send) {
  return {
    createBulkRetry: (slug: string, body: BulkRetryBody, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests`, { ...call, body }),
    /** Newest first. */
    listBulkRetries: (slug: string, query: BulkRetryListQuery = {}, call?: CallOptions) =>
      send<BulkRetryPage>("GET", pathOf`/projects/${slug}/bulk-retry-requests`, { ...call, query: { ...query } }),
    getBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}`, call),
    getBulkRetryPlan: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryPlan>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/plan`, call),
    listBulkRetryChildren: (slug: string, requestId: string, query: BulkRetryChildQuery, call?: CallOptions) =>
      send<BulkRetryChildPage>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/children`, {
        ...call,
        query: { ...query },
      }),
    /** What is under way goes on; nothing more is sent. */
    pauseBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/pause`, call),
    /** Also of a blocked one, which gets its time anew. */
    resumeBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/resume`, call),
  };
}
