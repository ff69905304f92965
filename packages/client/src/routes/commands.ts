import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  BulkRetryCommandBody,
  Command,
  CommandListQuery,
  CommandPage,
  ConsumerBody,
  PoolResizeBody,
  PurgeQueueBody,
  RateLimitBody,
  RestartWorkerBody,
  RetryTaskBody,
  TaskCommandBody,
} from "../types/commands.ts";

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
