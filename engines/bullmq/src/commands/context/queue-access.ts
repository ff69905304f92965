import type { Queue } from "bullmq6";
import type { Redis } from "ioredis";
import type { QueueNames } from "../../redis/names.ts";
import { Refusal } from "./refusal.ts";

/** A queue of BullMQ 5 or 6, limited to what both share. */
export type CommandedQueue = Queue;

type Major = "5" | "6";

const mostOpen = 64;
const mostOthers = 1000;

/**
 * Opens queues with BullMQ's own code, in the major version that the application uses: the two keep a paused queue's jobs in different
 * lists, and the wrong version would lose a job that it puts back. The code is loaded at the first command, and queues stay open. They
 * share one connection, and none of them writes to the queue's meta hash.
 */
export class QueueAccess {
  readonly #redis: Redis;
  readonly #knownQueues: () => Promise<readonly QueueNames[]>;
  readonly #queues = new Map<string, CommandedQueue>();

  constructor(redis: Redis, knownQueues: () => Promise<readonly QueueNames[]>) {
    this.#redis = redis;
    this.#knownQueues = knownQueues;
  }

  /** Rejects with a Refusal when the queue does not exist or is not from BullMQ 5 or 6. */
  async open(names: QueueNames): Promise<CommandedQueue> {
    const major = await this.#majorOf(names);
    const key = `${major}/${names.source}`;
    const known = this.#queues.get(key);
    if (known) {
      this.#queues.delete(key);
      this.#queues.set(key, known);
      return known;
    }
    const { Queue } = await (major === "5" ? load5() : load6());
    const other = this.#queues.get(key); // opened while the code was loaded
    if (other) return other;
    const options = { connection: this.#redis as never, skipMetasUpdate: true, prefix: names.prefix };
    const queue = new Queue(names.queue, options);
    queue.on("error", () => {}); // the connection reports its faults itself
    this.#queues.set(key, queue);
    const [oldest] = this.#queues;
    if (oldest && this.#queues.size > mostOpen) {
      this.#queues.delete(oldest[0]);
      await oldest[1].close();
    }
    return queue;
  }

  async close(): Promise<void> {
    const closing = [...this.#queues.values()];
    this.#queues.clear();
    await Promise.allSettled(closing.map((queue) => queue.close()));
  }

  async #majorOf(names: QueueNames): Promise<Major> {
    const { keyBase, label } = names;
    const [version, paused] = await this.#redis.hmget(`${keyBase}meta`, "version", "paused");
    const major = readMajor(version);
    if (major) return major;
    if (version) throw new Refusal(`Queue ${label} was not created by BullMQ 5 or 6. Nothing was changed.`);
    if ((await this.#redis.exists(`${keyBase}meta`)) === 0) throw new Refusal(`Queue ${label} does not exist.`);
    const usual = await this.#majorOfOthers(names);
    if (usual) return usual;
    const isPaused = Boolean(paused) || (await this.#redis.exists(`${keyBase}paused`)) === 1;
    if (!isPaused) return "6"; // the versions differ only where a queue is paused
    throw new Refusal(`Queue ${label} is paused and its BullMQ version is unknown. Nothing was changed.`);
  }

  /** A queue that only flows add to has no stored version: it gets the version of the other queues with its prefix, if they share one. */
  async #majorOfOthers({ prefix }: QueueNames): Promise<Major | undefined> {
    const others = (await this.#knownQueues()).filter((names) => names.prefix === prefix).slice(0, mostOthers);
    const versions = await Promise.all(others.map(({ keyBase }) => this.#redis.hget(`${keyBase}meta`, "version")));
    const majors = new Set(versions.map(readMajor).filter((major) => major !== undefined));
    return majors.size === 1 ? [...majors][0] : undefined;
  }
}

function readMajor(version: string | null | undefined): Major | undefined {
  return /^bullmq:([56])\./.exec(version ?? "")?.[1] as Major | undefined;
}

const load6 = () => import("bullmq6");
/** The parts used here have the same types in both versions. */
const load5 = async () => (await import("bullmq5")) as unknown as typeof import("bullmq6");
