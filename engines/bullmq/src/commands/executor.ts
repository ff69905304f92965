import type { Command, CommandOutcome } from "@svc/agent";
import { rateLimitByQueueMarker, retryContractMarker, schedulerCapabilityTokens } from "@svc/protocol";
import type { Redis } from "ioredis";
import { askProcesses, hasListeners } from "../control/ask.ts";
import type { Settings } from "../options.ts";
import type { Connection } from "../redis/connection.ts";
import type { QueueNames } from "../redis/names.ts";
import type { Schedules } from "../schedules/mirror.ts";
import { createAddresses } from "./context/addresses.ts";
import type { CommandContext, CommandHandler } from "./context/command-context.ts";
import { QueueAccess } from "./context/queue-access.ts";
import { failureOf, Refusal } from "./context/refusal.ts";
import { listDeadLetters } from "./queues/dead-letters.ts";
import { depthOf, purgeQueue } from "./queues/purge.ts";
import { limitRate } from "./queues/rate-limit.ts";
import { resyncSchedules } from "./schedules/resync.ts";
import { deleteSchedule, disableSchedule, enableSchedule, triggerSchedule } from "./schedules/schedule-commands.ts";
import { bulkRetry } from "./tasks/bulk-retry.ts";
import { cancelTask } from "./tasks/cancel.ts";
import { reconcileTask } from "./tasks/reconcile-task.ts";
import { requeueDeadLetter, retryTask } from "./tasks/retry.ts";
import { fireSchedule, submitTask } from "./tasks/submit.ts";
import { addConsumer, cancelConsumer, growPool, restartWorker, shrinkPool } from "./worker-control.ts";

/** Reserved from a command's time for reporting its result. */
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

/** Capabilities of a Redis user with read access only. */
const readingCapabilities: readonly string[] = ["list_dead_letters"];

/** Capabilities that need access to Redis only. */
export const queueCapabilities: readonly string[] = [
  ...["retry_task", retryContractMarker, "bulk_retry", "cancel_task"],
  ...["list_dead_letters", "requeue_dead_letter", "purge_queue"],
  ...["reconcile_task", "rate_limit", rateLimitByQueueMarker, "submit_task"],
];

/** Capabilities while a process with workers listens. */
export const workerCapabilities: readonly string[] = [
  ...["restart_worker", "pool_grow", "pool_shrink", "add_consumer", "cancel_consumer"],
];

interface ExecutorParts {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly schedules: Schedules;
  knownQueues(): Promise<readonly QueueNames[]>;
  /** Whether this process has workers of its own. */
  hasWorkers(): boolean;
}

/** Carries out commands on the connection that also reads jobs. An error becomes a failed outcome with a message for operators. */
export class CommandExecutor {
  readonly #parts: ExecutorParts;
  readonly #context: Omit<CommandContext, "askProcesses" | "hasTime">;
  #hasRights = true;
  #hasListeners = false;

  constructor(parts: ExecutorParts) {
    const { settings, schedules, knownQueues } = parts;
    const { redis } = parts.connection;
    this.#parts = parts;
    this.#context = {
      ...{ redis, settings, knownQueues, schedules },
      addresses: createAddresses(redis, settings),
      queues: new QueueAccess(redis, knownQueues),
    };
  }

  /** Everything is offered until the rights of the Redis user are known. */
  capabilities(): readonly string[] {
    if (!this.#hasRights) return readingCapabilities;
    const hasWorkers = this.#hasListeners || this.#parts.hasWorkers();
    return hasWorkers ? [...queueCapabilities, ...workerCapabilities] : queueCapabilities;
  }

  /** Those of the scheduler. */
  scheduleCapabilities(): typeof schedulerCapabilityTokens | readonly [] {
    return this.#hasRights ? schedulerCapabilityTokens : [];
  }

  /** Checks what the Redis user may do, and whether processes with workers listen. */
  async refresh(): Promise<void> {
    const { redis, settings } = this.#context;
    this.#hasListeners = await hasListeners(redis, settings.prefixes, this.#hasListeners);
    this.#hasRights = await mayRunScripts(redis, this.#hasRights);
  }

  /** Refreshes as soon as Redis answers. */
  refreshEarly(signal: AbortSignal): void {
    const { connection } = this.#parts;
    void connection.ready(signal).then(
      () => this.refresh(),
      () => {},
    );
  }

  async execute(command: Command): Promise<CommandOutcome> {
    const { settings, connection } = this.#parts;
    if (!settings.commands) return failed("This agent only watches: commands are switched off in its options.");
    const handler = Object.hasOwn(handlers, command.action) ? handlers[command.action] : undefined;
    if (!handler) return failed(`unsupported: ${settings.engine} doesn't support ${command.action}`);
    const endsAt = performance.now() + command.timeoutSeconds * 1000 - reportingMs;
    const hasTime = () => performance.now() < endsAt;
    try {
      await connection.ready(AbortSignal.timeout(connectBoundMs));
    } catch {
      return failed("Couldn't connect to Redis. Nothing was changed.");
    }
    try {
      const ask: CommandContext["askProcesses"] = (request, prefixes, isWaiting = hasTime) =>
        askProcesses(connection.redis, prefixes, request, isWaiting);
      const result = await handler(command, { ...this.#context, askProcesses: ask, hasTime });
      return { status: "success", result };
    } catch (fault) {
      const outcome: CommandOutcome = { status: "failed", ...failureOf(fault) };
      return fault instanceof Refusal && fault.result ? { ...outcome, result: fault.result } : outcome;
    }
  }

  /** Undefined when there is no queue of this label. */
  async depth(label: string): Promise<number | undefined> {
    await this.#parts.connection.ready(AbortSignal.timeout(connectBoundMs));
    return await depthOf(this.#context.redis, this.#context.addresses.queue(label));
  }

  close(): Promise<void> {
    return this.#context.queues.close();
  }
}

/** BullMQ changes jobs only through scripts: a Redis user that may not run them can only watch. */
async function mayRunScripts(redis: Redis, before: boolean): Promise<boolean> {
  try {
    await redis.evalsha("0".repeat(40), 0);
    return true;
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : "";
    if (reason.startsWith("NOPERM")) return false;
    return reason.startsWith("NOSCRIPT") || before;
  }
}

const failed = (error: string): CommandOutcome => ({ status: "failed", error });
