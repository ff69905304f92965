import { setTimeout as wait } from "node:timers/promises";
import type { AgentLog } from "@svc/agent";
import { Redis, type RedisOptions } from "ioredis";

const commandBoundMs = 10_000;
const silenceBoundMs = 15_000;
const slowestRetryMs = 2000;

/**
 * A Redis connection that reconnects forever and never queues commands: a command without a connection fails immediately, and the
 * caller's loop decides. `epoch` counts how often it became ready, so that a caller notices a possible server change.
 */
export interface Connection {
  readonly redis: Redis;
  readonly epoch: number;
  /** Resolves when commands can be sent; rejects when `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  close(): void;
}

export type Connections = ReturnType<typeof openConnections>;

/** The connections for watching: one blocks in XREAD, the other serves everything else. */
export function openConnections(target: string | RedisOptions, log: AgentLog) {
  const reading = openConnection(target, { name: "events", blocking: true }, log);
  const asking = openConnection(target, { name: "jobs", blocking: false }, log);
  return {
    reading,
    asking,
    close() {
      reading.close();
      asking.close();
    },
  };
}

interface ConnectionPurpose {
  readonly name: string;
  /** The connection blocks in XREAD, so that only a silent socket reveals a dead server. */
  readonly blocking: boolean;
}

export function openConnection(
  target: string | RedisOptions,
  { name, blocking }: ConnectionPurpose,
  log: AgentLog,
): Connection {
  const options = {
    connectionName: `svc-${name}`,
    keyPrefix: "",
    replyMapping: "legacy" as const,
    // A lost connection fails pending commands immediately; the caller decides whether to send them again.
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    ...(!blocking && { commandTimeout: commandBoundMs }),
  };
  const redis = typeof target === "string" ? new Redis(target, options) : new Redis({ ...target, ...options });
  let epoch = 0;
  const logged = new Set<string>();
  let attempts = 0;
  let isClosed = false;
  const waiters = new Set<() => void>();
  redis.on("connect", () => {
    const { stream } = redis;
    // Timers of ioredis would keep the application's process alive, so timeouts and reconnects are handled here.
    stream.unref();
    if (!blocking) return;
    stream.setTimeout(silenceBoundMs);
    stream.on("timeout", () => {
      if (redis.commandQueue.length > 0) stream.destroy(new Error("Socket timeout"));
    });
  });
  redis.on("end", () => {
    if (isClosed) return;
    attempts += 1;
    const retry = () => void (isClosed || redis.connect().catch(() => {})); // the "error" event has the reason
    setTimeout(retry, Math.min(50 * 2 ** Math.min(attempts, 6), slowestRetryMs)).unref();
  });
  redis.on("ready", () => {
    epoch += 1;
    attempts = 0;
    if (logged.size > 0) log.info("redis connection restored", { connection: name });
    logged.clear();
    for (const wake of waiters) wake();
    waiters.clear();
  });
  redis.on("error", (fault: Error) => {
    // ioredis reports the same error on every attempt; one log line is enough.
    const reason = reasonOf(fault);
    if (logged.has(reason)) return;
    logged.add(reason);
    log.warn("redis connection failed, retrying", { connection: name, reason });
  });
  return {
    redis,
    get epoch() {
      return epoch;
    },
    ready(signal) {
      if (redis.status === "ready") return Promise.resolve();
      if (signal.aborted) return Promise.reject(signal.reason);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const wake = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        waiters.delete(wake);
        reject(signal.reason);
      };
      waiters.add(wake);
      signal.addEventListener("abort", stop, { once: true });
      return promise;
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

/**
 * The reason for a failed connection, without address or password: a network error, or the first word of Redis's reply (WRONGPASS,
 * NOAUTH, LOADING).
 */
function reasonOf(fault: Error): string {
  return networkFaultOf(fault) ?? /^[A-Z]{3,}\b/.exec(fault.message)?.[0] ?? fault.name;
}

/** Describes a network error for operators, in place of ioredis's messages for developers; undefined for any other error. */
export function networkFaultOf(fault: Error & { readonly code?: unknown }): string | undefined {
  if (typeof fault.code === "string") return fault.code;
  if (fault.message.startsWith("Socket timeout")) return `no answer within ${silenceBoundMs / 1000} s`;
  if (fault.message.startsWith("Command timed out")) return `no answer within ${commandBoundMs / 1000} s`;
  const isClosed =
    fault.name === "MaxRetriesPerRequestError" ||
    fault.message === "Connection is closed." ||
    fault.message.startsWith("Stream isn't writeable");
  return isClosed ? "no connection" : undefined;
}

/** Resolves after `delayMs`, rejects when the signal aborts. Never keeps the application's process alive. */
export const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  wait(delayMs, undefined, { signal, ref: false });
