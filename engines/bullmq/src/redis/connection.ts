import { setTimeout as wait } from "node:timers/promises";
import type { AgentLog } from "@svc/agent";
import { Redis, type RedisOptions } from "ioredis";

const commandBoundMs = 10_000;
const silenceBoundMs = 15_000;
const slowestRetryMs = 2000;

/**
 * One Redis connection that reconnects for ever and never holds a command back: a command without a connection fails at once, and the
 * caller's loop decides. `epoch` counts the times it became ready, so a caller sees that the server behind it may be another one.
 */
export interface Connection {
  readonly redis: Redis;
  readonly epoch: number;
  /** Resolves when commands can be sent; rejects when `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  close(): void;
}

export type Connections = ReturnType<typeof openConnections>;

/** What watching takes: one connection that waits in XREAD, one for everything else. */
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
  /** Waits in XREAD, so that only silence of the socket tells a dead server. */
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
    // A lost connection fails waiting commands at once; nothing is ever sent twice behind the caller's back.
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    ...(!blocking && { commandTimeout: commandBoundMs }),
  };
  const redis = typeof target === "string" ? new Redis(target, options) : new Redis({ ...target, ...options });
  let epoch = 0;
  const told = new Set<string>();
  let attempts = 0;
  let isClosed = false;
  const waiters = new Set<() => void>();
  redis.on("connect", () => {
    const { stream } = redis;
    // The application decides when its process ends. Timers of ioredis would hold it, so silence and reconnecting are looked after here.
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
    const retry = () => void (isClosed || redis.connect().catch(() => {})); // "error" tells why
    setTimeout(retry, Math.min(50 * 2 ** Math.min(attempts, 6), slowestRetryMs)).unref();
  });
  redis.on("ready", () => {
    epoch += 1;
    attempts = 0;
    if (told.size > 0) log.info("redis answers again", { connection: name });
    told.clear();
    for (const wake of waiters) wake();
    waiters.clear();
  });
  redis.on("error", (fault: Error) => {
    // ioredis repeats the same faults on every attempt; a person needs them once.
    const reason = reasonOf(fault);
    if (told.has(reason)) return;
    told.add(reason);
    log.warn("redis connection failed, trying again", { connection: name, reason });
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
 * What a connection failed for, in words that hold neither address nor password: a network fault, or the first word of what Redis
 * replied (WRONGPASS, NOAUTH, LOADING).
 */
function reasonOf(fault: Error): string {
  return networkFaultOf(fault) ?? /^[A-Z]{3,}\b/.exec(fault.message)?.[0] ?? fault.name;
}

/** Our word for a fault on the way to Redis, whose texts in ioredis speak to programmers; undefined for any other fault. */
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

/** Resolves after `delayMs`, rejects when the signal aborts. Never keeps the process alive: the application decides when it ends. */
export const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  wait(delayMs, undefined, { signal, ref: false });
