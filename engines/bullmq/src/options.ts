import type { RedisOptions } from "ioredis";

export interface BullmqOptions {
  /** Where the queues live: a `redis://` or `rediss://` URL, or connection options. Never a client instance: BullMQ 5 and 6 bring different ones. */
  readonly redis: string | RedisOptions;
  /** Key prefixes to watch; default `["bull"]`, at most 32. */
  readonly prefixes?: readonly string[];
  /** Queues to watch in every prefix; default: all queues, discovered continuously. A list saves Redis the scans. */
  readonly queues?: readonly string[];
  /** Prepended to task ids and queue names as `NAME/`, for two Redis servers in one project; default none. */
  readonly namespace?: string;
  /** Engine name in every event; default `bullmq`. */
  readonly engine?: string;
  /** Where to start reading a new queue: at the `beginning` of what Redis still holds (default), or `now`. */
  readonly startAt?: "beginning" | "now";
  /** Raises the cap of the event streams; default `defaultStreamCap`, `false` writes nothing to Redis. */
  readonly streamCap?: StreamCap | false;
  /** Whether operators may act on the queues through this agent; default true, `false` watches only. */
  readonly commands?: boolean;
  /** Maps BullMQ priorities to critical, high, normal and low; default `defaultPriorityTable`. */
  readonly priorities?: PriorityTable;
  /** Number of tasks whose state is remembered between stream entries; default 50_000 (about 20 MB), 1_000 to 1_000_000. */
  readonly rememberedTasks?: number;
  /** Milliseconds between scans for new queues; default 500, 100 to 60_000. */
  readonly discoverEveryMs?: number;
  /** Milliseconds between checks that no stream was trimmed before it was read; default 5_000, 500 to 60_000. */
  readonly checkEveryMs?: number;
  /** Milliseconds between reads of the job schedulers; default 10_000, 100 to 600_000. Over 1000 schedulers are read less often. */
  readonly schedulesEveryMs?: number;
}

/**
 * BullMQ caps its event streams at 10 000 entries by default, about 2 500 tasks: an agent that is offline for longer misses the rest. The
 * side-car therefore raises `opts.maxLenEvents` in a queue's meta hash and writes it again every few seconds, because an application
 * that creates a `Queue` without `streams.events.maxLen` resets it to 10 000. It never lowers a cap.
 *
 * Cost for Redis: about 52 bytes per entry plus the size of its result, so 10 MB per busy queue at 200 000 entries; `maxBytes` lowers the
 * number where results are large. One script call per queue every `checkEveryMs`.
 */
export interface StreamCap {
  /** Entries to keep, 10_000 to 10_000_000. */
  readonly entries: number;
  /** Maximum size of one stream in Redis in bytes, estimated from the average entry size; at least 1 MiB. */
  readonly maxBytes: number;
}

export const defaultStreamCap: StreamCap = { entries: 200_000, maxBytes: 64 * 1024 * 1024 };

export type Priority = "critical" | "high" | "normal" | "low";

/** BullMQ runs smaller numbers first. The first row whose `upTo` is at least the number applies; without a matching row, low. */
export type PriorityTable = readonly { readonly upTo: number; readonly priority: Priority }[];

/** 0 means that the job has no priority. */
export const defaultPriorityTable: PriorityTable = [
  { upTo: 0, priority: "normal" },
  { upTo: 1, priority: "critical" },
  { upTo: 10, priority: "high" },
  { upTo: 100, priority: "normal" },
];

export function priorityOf(bullmqPriority: number, table: PriorityTable): Priority {
  return table.find((row) => bullmqPriority <= row.upTo)?.priority ?? "low";
}

export const defaultEngine = "bullmq";

/** The options with defaults filled in. */
export interface Settings extends Required<Omit<BullmqOptions, "queues" | "streamCap">> {
  readonly queues: readonly string[] | undefined;
  readonly streamCap: StreamCap | undefined;
}

/** @throws TypeError that names the option that is out of range. */
export function readSettings(options: BullmqOptions): Settings {
  const { redis, startAt = "beginning" } = options;
  if (typeof redis === "string" ? redis.trim() === "" : typeof redis !== "object" || redis === null)
    throw new TypeError("redis must be a URL or connection options");
  if (startAt !== "beginning" && startAt !== "now") throw new TypeError("startAt must be beginning or now");
  const prefixes = options.prefixes ?? ["bull"];
  if (prefixes.length === 0 || prefixes.length > 32 || prefixes.some((prefix) => prefix === ""))
    throw new TypeError("prefixes must be 1–32 key prefixes, none of them empty");
  if (options.queues?.some((queue) => queue === "" || queue.includes(":")))
    throw new TypeError("queues: a queue name must not be empty or contain a colon");
  const namespace = options.namespace ?? "";
  if (!/^[A-Za-z0-9_.-]{0,40}$/.test(namespace))
    throw new TypeError("namespace must be at most 40 characters of A-Z a-z 0-9 _ . -");
  const engine = options.engine ?? defaultEngine;
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(engine))
    throw new TypeError("engine must be 1–40 characters of A-Z a-z 0-9 _ . -");
  const streamCap = options.streamCap === false ? undefined : (options.streamCap ?? defaultStreamCap);
  if (streamCap) {
    within("streamCap.entries", streamCap.entries, 10_000, 10_000_000);
    within("streamCap.maxBytes", streamCap.maxBytes, 1024 * 1024, Number.POSITIVE_INFINITY);
  }
  return {
    redis,
    prefixes: [...new Set(prefixes)],
    queues: options.queues,
    namespace,
    engine,
    startAt,
    streamCap,
    commands: options.commands !== false,
    priorities: options.priorities ?? defaultPriorityTable,
    rememberedTasks: within("rememberedTasks", options.rememberedTasks ?? 50_000, 1000, 1_000_000),
    discoverEveryMs: within("discoverEveryMs", options.discoverEveryMs ?? 500, 100, 60_000),
    schedulesEveryMs: within("schedulesEveryMs", options.schedulesEveryMs ?? 10_000, 100, 600_000),
    checkEveryMs: within("checkEveryMs", options.checkEveryMs ?? 5000, 500, 60_000),
  };
}

/**
 * Checks options without creating an adapter, for a launcher that rejects invalid ones.
 *
 * @throws TypeError that names the option that is out of range.
 */
export const checkBullmqOptions = (options: BullmqOptions): void => void readSettings(options);

function within(name: string, value: number, least: number, most: number): number {
  if (!(value >= least && value <= most))
    throw new TypeError(
      most === Number.POSITIVE_INFINITY ? `${name} must be at least ${least}` : `${name} must be ${least}–${most}`,
    );
  return value;
}
