import type { RedisOptions } from "ioredis";

export interface BullmqOptions {
  /** Where the queues live: a `redis://` or `rediss://` URL, or connection options. Never a client instance: BullMQ 5 and 6 bring different ones. */
  readonly redis: string | RedisOptions;
  /** Key prefixes to watch; default `["bull"]`, at most 32. */
  readonly prefixes?: readonly string[];
  /** Queues to watch in every prefix; default: all that are found, looked for while running. A list spares Redis the looking. */
  readonly queues?: readonly string[];
  /** Put in front of task ids and queue names as `NAME/`, for two Redis servers in one project; default none. */
  readonly namespace?: string;
  /** Engine string of every event; default `bullmq`. */
  readonly engine?: string;
  /** Where a queue begins that this agent has never read: its `beginning` as far as Redis still holds it (default), or `now`. */
  readonly startAt?: "beginning" | "now";
  /** Raises the cap of the event streams; default `defaultStreamCap`, `false` writes nothing to Redis. */
  readonly streamCap?: StreamCap | false;
  /** Whether operators may act on the queues through this agent; default true, `false` watches only. */
  readonly commands?: boolean;
  /** Which BullMQ priorities are critical, high, normal and low; default `defaultPriorityTable`. */
  readonly priorities?: PriorityTable;
  /** Tasks whose facts are remembered from one stream entry to the next; default 50_000 (about 20 MB), 1_000 to 1_000_000. */
  readonly rememberedTasks?: number;
  /** Milliseconds between two looks for new queues; default 500, 100 to 60_000. */
  readonly discoverEveryMs?: number;
  /** Milliseconds between two checks that no stream was trimmed before it was read; default 5_000, 500 to 60_000. */
  readonly checkEveryMs?: number;
}

/**
 * The stream cap of BullMQ is 10 000 entries by default, about 2 500 tasks: an agent that is away for longer loses the rest. The
 * side-car therefore raises `opts.maxLenEvents` in a queue's meta hash and writes it again every few seconds, because an application
 * that makes a `Queue` without `streams.events.maxLen` writes 10 000 back. It never lowers a cap.
 *
 * Cost for Redis: about 52 bytes an entry and the size of the results that the entries carry, so 10 MB a busy queue at 200 000;
 * `maxBytes` lowers the number where results are large. One script call a queue every `checkEveryMs`.
 */
export interface StreamCap {
  /** Entries to keep, 10_000 to 10_000_000. */
  readonly entries: number;
  /** Upper bound of what one stream may take in Redis, in bytes, by the average size of the entries seen; at least 1 MiB. */
  readonly maxBytes: number;
}

export const defaultStreamCap: StreamCap = { entries: 200_000, maxBytes: 64 * 1024 * 1024 };

export type Priority = "critical" | "high" | "normal" | "low";

/** BullMQ runs smaller numbers first. The first row whose `upTo` is not below the number decides; no row: low. */
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

/** The options with the defaults in. */
export interface Settings extends Required<Omit<BullmqOptions, "queues" | "streamCap">> {
  readonly queues: readonly string[] | undefined;
  readonly streamCap: StreamCap | undefined;
}

/** @throws TypeError that names the option which is out of its bounds. */
export function readSettings(options: BullmqOptions): Settings {
  const { redis, startAt = "beginning" } = options;
  if (typeof redis === "string" ? redis.trim() === "" : typeof redis !== "object" || redis === null)
    throw new TypeError("redis: a URL or connection options");
  if (startAt !== "beginning" && startAt !== "now") throw new TypeError("startAt: beginning or now");
  const prefixes = options.prefixes ?? ["bull"];
  if (prefixes.length === 0 || prefixes.length > 32 || prefixes.some((prefix) => prefix === ""))
    throw new TypeError("prefixes: 1 to 32 key prefixes, none of them empty");
  if (options.queues?.some((queue) => queue === "" || queue.includes(":")))
    throw new TypeError("queues: a queue name is not empty and holds no colon");
  const namespace = options.namespace ?? "";
  if (!/^[A-Za-z0-9_.-]{0,40}$/.test(namespace)) throw new TypeError("namespace: at most 40 of A-Z a-z 0-9 _ . -");
  const engine = options.engine ?? defaultEngine;
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(engine)) throw new TypeError("engine: 1 to 40 of A-Z a-z 0-9 _ . -");
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
    checkEveryMs: within("checkEveryMs", options.checkEveryMs ?? 5000, 500, 60_000),
  };
}

/**
 * Checks options without making an adapter, for a launcher that refuses bad ones.
 *
 * @throws TypeError that names the option which is out of its bounds.
 */
export const checkBullmqOptions = (options: BullmqOptions): void => void readSettings(options);

function within(name: string, value: number, least: number, most: number): number {
  if (!(value >= least && value <= most)) throw new TypeError(`${name}: ${least} to ${most}`);
  return value;
}
