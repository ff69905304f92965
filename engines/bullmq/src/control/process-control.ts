import type { AgentLog } from "@svc/agent";
import type { RedisOptions } from "ioredis";
import { openConnection } from "../redis/connection.ts";
import { listenForControl } from "./listen.ts";
import { type AttachedWorker, ownerOf, prefixesOf, type WorkerOwner } from "./workers.ts";

export interface ControlOptions extends Pick<WorkerOwner, "createWorker"> {
  /** Where the queues live: URL or connection options, never a client instance. */
  readonly redis: string | RedisOptions;
  /** The workers of this process, at least one of each key prefix. */
  readonly workers: readonly AttachedWorker[];
  /** Same as the side-car's; default none. */
  readonly namespace?: string;
  /** Receives connection and permission problems; default: process warnings. */
  readonly log?: AgentLog;
}

/**
 * For a process whose queues a side-car watches: lets operators stop its running jobs, resize its pools, restart its workers and add
 * consumers. It needs no agent of its own; requests come from the side-car over Redis. Uses two connections and never throws.
 */
export function controlBullmqWorkers(options: ControlOptions): { close(): void } {
  const { redis, workers, log = processWarnings } = options;
  const prefixes = prefixesOf(workers);
  const answering = openConnection(redis, { name: "answers", blocking: false }, log);
  const listening = listenForControl({ redis, prefixes }, answering, ownerOf(workers, options), log);
  return {
    close() {
      listening.close();
      answering.close();
    },
  };
}

const processWarnings: AgentLog = {
  debug() {},
  info() {},
  warn: (message, fields) => process.emitWarning(`svc: ${message} ${JSON.stringify(fields ?? {})}`),
  error: (message, fields) => process.emitWarning(`svc: ${message} ${JSON.stringify(fields ?? {})}`),
};
