import type { Redis } from "ioredis";
import type { QueueNames } from "../redis/names.ts";
import { askEach } from "../redis/pipeline.ts";
import { disabledKey, repeatKey, type StoredScheduler } from "./stored-scheduler.ts";

/** The last runs of a queue's schedulers with a pattern, by id: the number of runs, a space, and the time in milliseconds. */
export const lastRunsKey = ({ keyBase }: QueueNames) => `${keyBase}svc-last-runs`;

/**
 * BullMQ does not keep the time of a scheduler's last run. Its next job shows it until the application creates the scheduler again, as many do
 * at each start. So the time is kept in a hash of the queue, with the number of runs that it belongs to.
 */
export function createLastRuns(redis: Redis) {
  let mayWrite = true;

  /** Adds the times that are known. @param kept values of the hash by id */
  async function complete(
    names: QueueNames,
    schedulers: readonly StoredScheduler[],
    kept: ReadonlyMap<string, string>,
  ): Promise<readonly StoredScheduler[]> {
    const changed: [string, string][] = [];
    const completed = schedulers.map((scheduler) => {
      const { key, runs, every } = scheduler;
      if (every !== undefined) return scheduler;
      const text = kept.get(key);
      const lastMs = scheduler.lastMs ?? keptFor(runs, text);
      if (lastMs === undefined) return scheduler;
      const now = `${runs} ${lastMs}`;
      if (now !== text) changed.push([key, now]);
      return { ...scheduler, lastMs };
    });
    await write(() => askEach(redis, changed, (pipeline, [key, text]) => pipeline.hset(lastRunsKey(names), key, text)));
    return completed;
  }

  /** A Redis user that may not write loses times when the application creates schedulers again. */
  async function write(work: () => Promise<unknown>): Promise<void> {
    if (!mayWrite) return;
    try {
      await work();
    } catch (fault) {
      if (!(fault instanceof Error && fault.message.startsWith("NOPERM"))) throw fault;
      mayWrite = false;
    }
  }

  return {
    complete,
    /** Removes the times of those schedulers that do not exist any more; a command may just have moved one. */
    async forget(names: QueueNames, ids: readonly string[]): Promise<void> {
      const found = await askEach(redis, ids, (pipeline, id) =>
        pipeline.hexists(disabledKey(names), id).zscore(repeatKey(names), id),
      );
      const missing = ids.filter((_, index) => found[index * 2] === 0 && found[index * 2 + 1] === null);
      await write(() => askEach(redis, missing, (pipeline, id) => pipeline.hdel(lastRunsKey(names), id)));
    },
  };
}

/** Undefined when the scheduler has run since the time was kept. Its number of runs begins again when it is enabled. */
function keptFor(runs: number, text = ""): number | undefined {
  const [keptRuns = -1, ms] = text.split(" ").map(Number);
  return Number.isSafeInteger(ms) && runs <= keptRuns ? ms : undefined;
}
