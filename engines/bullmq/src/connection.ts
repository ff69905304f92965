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

/** What watching takes: one connection that waits in XREAD, one for everything else. */
export interface Connections {
  readonly reading: Connection;
  readonly asking: Connection;
  close(): void;
}

export function openConnections(target: string | RedisOptions, log: AgentLog): Connections {
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

function openConnection(
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
  let told = "";
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
    if (told !== "") log.info("redis answers again", { connection: name });
    told = "";
    for (const wake of waiters) wake();
    waiters.clear();
  });
  redis.on("error", (fault: Error & { code?: string }) => {
    // ioredis repeats the same fault on every attempt; a person needs it once. Messages of ioredis may hold the address, codes cannot.
    const reason = fault.code ?? fault.name;
    if (reason === told) return;
    told = reason;
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
