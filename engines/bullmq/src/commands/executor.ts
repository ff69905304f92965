import type { Command, CommandOutcome, EventSink } from "@svc/agent";
import { rateLimitByQueueMarker, retryContractMarker } from "@svc/protocol";
import { askProcesses } from "../control/ask.ts";
import type { Settings } from "../options.ts";
import type { Connection } from "../redis/connection.ts";
import type { QueueNames } from "../redis/names.ts";
import { createAddresses } from "./context/addresses.ts";
import type { CommandContext, CommandHandler } from "./context/command-context.ts";
import { createQueueAccess } from "./context/queue-access.ts";
import { failureOf } from "./context/reason.ts";
import { Refusal } from "./context/refusal.ts";
import { listDeadLetters } from "./queues/dead-letters.ts";
import { depthOf, purgeQueue } from "./queues/purge.ts";
import { limitRate } from "./queues/rate-limit.ts";
import { deleteSchedule, disableSchedule, enableSchedule, triggerSchedule } from "./schedules/schedules.ts";
import { resyncSchedules } from "./schedules/snapshot.ts";
import { createScheduleStream } from "./schedules/stream.ts";
import { bulkRetry } from "./tasks/bulk-retry.ts";
import { cancelTask } from "./tasks/cancel.ts";
import { reconcileTask } from "./tasks/reconcile-task.ts";
import { requeueDeadLetter, retryTask } from "./tasks/retry.ts";
import { fireSchedule, submitTask } from "./tasks/submit.ts";
import { addConsumer, cancelConsumer, growPool, restartWorker, shrinkPool } from "./worker-control.ts";

/** Kept back from a command's time to report what was done. */
const reportingMs = 1000;
const connectBoundMs = 5000;

const handlers: Readonly<Record<string, CommandHandler>> = {
  retry_task: retryTask,
  bulk_retry: bulkRetry,
  cancel_task: cancelTask,
  "dlq.list": listDeadLetters,
  requeue_dead_letter: requeueDeadLetter,
  purge_queue: purgeQueue,
  reconcile_task: reconcileTask,
  restart_worker: restartWorker,
  pool_grow: growPool,
  pool_shrink: shrinkPool,
  add_consumer: addConsumer,
  cancel_consumer: cancelConsumer,
  rate_limit: limitRate,
  submit_task: submitTask,
  "schedule.fire": fireSchedule,
  "schedule.enable": enableSchedule,
  "schedule.disable": disableSchedule,
  "schedule.trigger_now": triggerSchedule,
  "schedule.trigger_now.via_scheduler": triggerSchedule,
  "schedule.delete": deleteSchedule,
  "schedule.resync": resyncSchedules,
};

/** What a Redis user can do who may only read. */
export const readingCapabilities: readonly string[] = ["list_dead_letters"];

/** What can be done to the queues of a Redis from outside. */
export const queueCapabilities: readonly string[] = [
  ...["retry_task", retryContractMarker, "bulk_retry", "cancel_task"],
  ...["list_dead_letters", "requeue_dead_letter", "purge_queue"],
  ...["reconcile_task", "rate_limit", rateLimitByQueueMarker, "submit_task"],
  ...["schedule.enable", "schedule.disable", "schedule.trigger_now", "schedule.delete", "schedule.resync"],
];

/** What can be done while a process with workers listens. */
export const workerCapabilities: readonly string[] = [
  ...["restart_worker", "pool_grow", "pool_shrink", "add_consumer", "cancel_consumer"],
];

export interface ExecutorParts {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly sink: EventSink;
  knownQueues(): Promise<readonly QueueNames[]>;
}

export interface CommandRunner {
  execute(command: Command): Promise<CommandOutcome>;
  /** Undefined when there is no queue of this label. */
  depth(label: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Carries commands out on the connection that also reads jobs. A fault becomes a failed outcome in words for an operator. */
export function createExecutor({ settings, connection, sink, knownQueues }: ExecutorParts): CommandRunner {
  const { redis } = connection;
  const addresses = createAddresses(redis, settings);
  const queues = createQueueAccess(redis, knownQueues);
  const tellSchedules = createScheduleStream(redis, settings, sink);
  return {
    async execute(command) {
      if (!settings.commands) return failed("this agent only watches, as it was told");
      const handler = Object.hasOwn(handlers, command.action) ? handlers[command.action] : undefined;
      if (!handler) return failed(`unsupported: ${settings.engine} cannot ${command.action}`);
      const endsAt = performance.now() + command.timeoutSeconds * 1000 - reportingMs;
      const hasTime = () => performance.now() < endsAt;
      try {
        await connection.ready(AbortSignal.timeout(connectBoundMs));
      } catch {
        return failed("there is no connection to Redis: nothing was done");
      }
      try {
        const ask: CommandContext["askProcesses"] = (request, prefixes, isWaiting = hasTime) =>
          askProcesses(redis, prefixes, request, isWaiting);
        const context = { redis, settings, addresses, queues, knownQueues, askProcesses: ask, tellSchedules, hasTime };
        return { status: "success", result: await handler(command, context) };
      } catch (fault) {
        const outcome: CommandOutcome = { status: "failed", ...failureOf(fault) };
        return fault instanceof Refusal && fault.result ? { ...outcome, result: fault.result } : outcome;
      }
    },
    async depth(label) {
      await connection.ready(AbortSignal.timeout(connectBoundMs));
      return await depthOf(redis, addresses.queue(label));
    },
    close: queues.close,
  };
}

function failed(error: string): CommandOutcome {
  return { status: "failed", error };
}
