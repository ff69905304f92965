import type { Redis } from "ioredis";
import type { Settings } from "../../options.ts";
import { type QueueNames, queueNames } from "../../redis/names.ts";
import { askEach } from "../../redis/pipeline.ts";
import { Refusal } from "./refusal.ts";

export interface AddressedJob {
  readonly names: QueueNames;
  readonly jobId: string;
  readonly taskId: string;
}

export type Addresses = ReturnType<typeof createAddresses>;
export type AddressSettings = Pick<Settings, "prefixes" | "queues" | "namespace">;

/** Finds jobs and queues by their names in the brain: the inverse of `taskIdOf` and `QueueNames.label`. */
export function createAddresses(redis: Redis, { prefixes, queues, namespace }: AddressSettings) {
  const space = namespace === "" ? "" : `${namespace}/`;
  const isWatched = (queue: string) => queues === undefined || queues.includes(queue);

  /** Prefixes and job ids may contain colons, so a task id is ambiguous where one prefix begins with another or with a queue's name. */
  function readingsOf(taskId: string): readonly AddressedJob[] {
    if (!taskId.startsWith(space)) return [];
    const own = taskId.slice(space.length);
    return prefixes.flatMap((prefix) => {
      const front = frontOf(prefix);
      if (!own.startsWith(front)) return [];
      const rest = own.slice(front.length);
      const cut = rest.indexOf(":");
      const [queue, jobId] = [rest.slice(0, cut), rest.slice(cut + 1)];
      if (cut <= 0 || jobId === "" || !isWatched(queue)) return [];
      return [{ names: queueNames(prefix, queue, namespace), jobId, taskId }];
    });
  }

  return {
    /** Rejects with a Refusal when this adapter watches no such queue. */
    async job(taskId: string): Promise<AddressedJob> {
      const readings = readingsOf(taskId);
      const [first] = readings;
      if (first === undefined) throw new Refusal(`${taskId} is not a task in a queue that this agent watches`);
      if (readings.length === 1) return first;
      const counts = await askEach(redis, readings, (pipeline, { names, jobId }) =>
        pipeline.exists(names.keyBase + jobId, `${names.keyBase}meta`),
      );
      const present = readings.filter((_, index) => counts[index] === 2);
      if (present.length > 1)
        throw new Refusal(`${taskId} is ambiguous: with the watched prefixes it matches jobs in two queues`);
      return present[0] ?? first;
    },
    /** The queue with this label. @throws Refusal when this adapter watches no such queue. */
    queue(label: string): QueueNames {
      const own = label.startsWith(space) ? label.slice(space.length) : "";
      for (const prefix of prefixes) {
        const queue = own.slice(frontOf(prefix).length);
        if (queue === "" || queue.includes(":") || !isWatched(queue)) continue;
        const names = queueNames(prefix, queue, namespace);
        if (names.label === label) return names;
      }
      throw new Refusal(`${label} is not a queue that this agent watches`);
    },
  };
}

/** The part of a label before the queue's name: empty for BullMQ's default prefix. */
function frontOf(prefix: string): string {
  return queueNames(prefix, "", "").label;
}
