import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  BulkRetryBody,
  BulkRetryChildPage,
  BulkRetryCommandBody,
  BulkRetryPage,
  BulkRetryPlan,
  BulkRetryRequest,
  Command,
  CommandPage,
  ConsumerBody,
  DeadLetterPage,
  PoolResizeBody,
  PurgeQueueBody,
  RateLimitBody,
  RestartWorkerBody,
  RetryTaskBody,
  TaskCommandBody,
} from "../types/api.generated.ts";
import type { BulkRetryChildQuery, BulkRetryListQuery, CommandListQuery, DeadLetterQuery } from "../types/queries.ts";

/** Each POST is answered as soon as the command is written (202); what becomes of it is read with `getCommand`. */
export function commandRoutes(send: Send) {
  const issue =
    <Body>(what: string) =>
    (slug: string, body: Body, call?: CallOptions) =>
      send<Command>("POST", `${pathOf`/projects/${slug}/commands`}/${what}`, { ...call, body });
  return {
    /** Newest first. */
    listCommands: (slug: string, query: CommandListQuery = {}, call?: CallOptions) =>
      send<CommandPage>("GET", pathOf`/projects/${slug}/commands`, { ...call, query: { ...query } }),
    getCommand: (slug: string, commandId: string, call?: CallOptions) =>
      send<Command>("GET", pathOf`/projects/${slug}/commands/${commandId}`, call),
    retryTask: issue<RetryTaskBody>("retry-task"),
    cancelTask: issue<TaskCommandBody>("cancel-task"),
    requeueDeadLetter: issue<TaskCommandBody>("requeue-dead-letter"),
    /** Of listed tasks only; whatever matches a filter is retried with `createBulkRetry`. */
    retryTasks: issue<BulkRetryCommandBody>("bulk-retry"),
    purgeQueue: issue<PurgeQueueBody>("purge-queue"),
    restartWorker: issue<RestartWorkerBody>("restart-worker"),
    resizePool: issue<PoolResizeBody>("pool-resize"),
    addConsumer: issue<ConsumerBody>("add-consumer"),
    cancelConsumer: issue<ConsumerBody>("cancel-consumer"),
    limitRate: issue<RateLimitBody>("rate-limit"),
  };
}

export function deadLetterRoutes(send: Send) {
  return {
    /** Asks an online agent, or the named one, and waits for it, up to 15 seconds. */
    listDeadLetters: (slug: string, query: DeadLetterQuery, call?: CallOptions) =>
      send<DeadLetterPage>("GET", pathOf`/projects/${slug}/dead-letters`, { ...call, query: { ...query } }),
  };
}

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
