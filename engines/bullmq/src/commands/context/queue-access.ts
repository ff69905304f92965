import type { Queue } from "bullmq6";
import type { Redis } from "ioredis";
import type { QueueNames } from "../../redis/names.ts";
import { Refusal } from "./refusal.ts";

/** A BullMQ queue of either major, as far as both are alike. */
export type CommandedQueue = Queue;

export interface QueueAccess {
  /** Rejects with a Refusal when the queue does not exist or is of another major than 5 and 6. */
  open(names: QueueNames): Promise<CommandedQueue>;
  close(): Promise<void>;
}

type Major = "5" | "6";

const mostOpen = 64;
const mostOthers = 1000;

/**
 * Opens queues with BullMQ's own code, in the major that the application uses: the two keep a paused queue in different lists, and a job
 * that the wrong one put back would be lost. The code is loaded at the first command, and a queue stays open for the next one. All of
 * them share one connection, and none of them writes to the queue's meta hash.
 */
export function createQueueAccess(redis: Redis, knownQueues: () => Promise<readonly QueueNames[]>): QueueAccess {
  const queues = new Map<string, CommandedQueue>();

  async function open(names: QueueNames): Promise<CommandedQueue> {
    const major = await majorOf(names);
    const key = `${major}/${names.source}`;
    const known = queues.get(key);
    if (known) {
      queues.delete(key);
      queues.set(key, known);
      return known;
    }
    const { Queue } = await (major === "5" ? load5() : load6());
    const other = queues.get(key); // opened while the code was loaded
    if (other) return other;
    const queue = new Queue(names.queue, { ...queueOptions(redis), prefix: names.prefix });
    queue.on("error", () => {}); // the connection tells of its faults itself
    queues.set(key, queue);
    await closeOldest();
    return queue;
  }

  async function majorOf(names: QueueNames): Promise<Major> {
    const { keyBase, label } = names;
    const [version, paused] = await redis.hmget(`${keyBase}meta`, "version", "paused");
    const major = readMajor(version);
    if (major) return major;
    if (version) throw new Refusal(`the queue ${label} is not of BullMQ 5 or 6: nothing is done to it`);
    if ((await redis.exists(`${keyBase}meta`)) === 0) throw new Refusal(`there is no queue ${label}`);
    const usual = await majorOfOthers(names);
    if (usual) return usual;
    const isPaused = Boolean(paused) || (await redis.exists(`${keyBase}paused`)) === 1;
    if (!isPaused) return "6"; // the two differ where a queue is paused
    throw new Refusal(`the queue ${label} is paused and does not tell its version of BullMQ: nothing is done to it`);
  }

  /** A queue that is fed by flows alone tells no version: it is taken to be that of the others with its prefix, when they have one. */
  async function majorOfOthers({ prefix }: QueueNames): Promise<Major | undefined> {
    const others = (await knownQueues()).filter((names) => names.prefix === prefix).slice(0, mostOthers);
    const versions = await Promise.all(others.map((names) => redis.hget(`${names.keyBase}meta`, "version")));
    const majors = new Set(versions.map(readMajor).filter((major) => major !== undefined));
    return majors.size === 1 ? [...majors][0] : undefined;
  }

  async function closeOldest(): Promise<void> {
    if (queues.size <= mostOpen) return;
    const [oldest] = queues;
    if (!oldest) return;
    queues.delete(oldest[0]);
    await oldest[1].close();
  }

  return {
    open,
    async close() {
      const closing = [...queues.values()];
      queues.clear();
      await Promise.allSettled(closing.map((queue) => queue.close()));
    },
  };
}

function readMajor(version: string | null | undefined): Major | undefined {
  return /^bullmq:([56])\./.exec(version ?? "")?.[1] as Major | undefined;
}

function queueOptions(redis: Redis) {
  return { connection: redis as never, skipMetasUpdate: true };
}

const load6 = () => import("bullmq6");
/** What is used of it is the same. */
const load5 = async () => (await import("bullmq5")) as unknown as typeof import("bullmq6");
