import type { AgentLog, MirroredSchedule } from "@svc/agent";
import type { Redis } from "ioredis";
import type { Settings } from "../options.ts";
import type { QueueNames } from "../redis/names.ts";
import { askEach } from "../redis/pipeline.ts";
import { describeSchedule, isReportable } from "./describe-schedule.ts";
import { createLastRuns, lastRunsKey } from "./last-runs.ts";
import {
  disabledKey,
  nextJobFields,
  readKept,
  repeatKey,
  type StoredScheduler,
  schedulerFields,
  storedOf,
  storedOfKept,
} from "./stored-scheduler.ts";

const mostSchedulers = 10_000;
const keysPerScan = 500;
/** Their data may be large. */
const hashesAtOnce = 100;

/**
 * Reads the job schedulers of queues directly from Redis, running and disabled ones. Sets are read with scans, in bounded steps: pages by
 * offset could miss a scheduler that moves to its next time in between. Queues without schedulers cost three cheap requests.
 */
export function createSchedulerReader(redis: Redis, { priorities }: Pick<Settings, "priorities">, log: AgentLog) {
  const lastRuns = createLastRuns(redis);
  let isFull = false;

  /** At most 10,000. Rejects when Redis fails. */
  async function readAll(queues: readonly QueueNames[]): Promise<readonly MirroredSchedule[]> {
    const counts = await askEach(redis, queues, (pipeline, names) =>
      pipeline.zcard(repeatKey(names)).hlen(disabledKey(names)).hlen(lastRunsKey(names)),
    );
    const found: MirroredSchedule[] = [];
    for (const [index, names] of queues.entries()) {
      if (counts.slice(index * 3, index * 3 + 3).every((count) => count === 0)) continue;
      for (const scheduler of await readQueue(names))
        if (isReportable(names, scheduler.key)) found.push(describeSchedule(names, scheduler, priorities));
      if (found.length > mostSchedulers) break;
    }
    if (found.length > mostSchedulers && !isFull)
      log.warn("too many job schedulers; some are not reported", { limit: mostSchedulers });
    isFull = found.length > mostSchedulers;
    return found.slice(0, mostSchedulers);
  }

  async function readQueue(names: QueueNames): Promise<readonly StoredScheduler[]> {
    const times = await scanPairs((cursor) => redis.zscan(repeatKey(names), cursor, "COUNT", keysPerScan));
    const running = await readRunning(names, [...times]);
    const ids = new Set(running.map(({ key }) => key));
    const texts = await scanHash(disabledKey(names));
    const disabled = [...texts.values()].flatMap((text) => readKept(text) ?? []);
    // The application may have created a disabled scheduler again.
    const all = [...running, ...disabled.filter(({ key }) => !ids.has(key)).map(storedOfKept)];
    const kept = await scanHash(lastRunsKey(names));
    await lastRuns.forget(
      names,
      [...kept.keys()].filter((key) => !ids.has(key) && !texts.has(key)),
    );
    return await lastRuns.complete(names, all, kept);
  }

  const scanHash = (key: string) => scanPairs((cursor) => redis.hscan(key, cursor, "COUNT", keysPerScan));

  async function readRunning(names: QueueNames, times: readonly (readonly [string, string])[]) {
    const hashes = (await askEach(
      redis,
      times,
      (pipeline, [key, next]) =>
        pipeline
          .hmget(`${repeatKey(names)}:${key}`, ...schedulerFields)
          .hmget(`${repeatKey(names)}:${key}:${next}`, ...nextJobFields),
      hashesAtOnce,
    )) as (string | null)[][];
    return times.flatMap(
      ([key, next], index) => storedOf(key, Number(next), hashes[index * 2] ?? [], hashes[index * 2 + 1] ?? []) ?? [],
    );
  }

  return {
    readAll,
    /** Undefined when there is no such scheduler, running or disabled. */
    async read(names: QueueNames, key: string): Promise<MirroredSchedule | undefined> {
      const next = await redis.zscore(repeatKey(names), key);
      const [running] = next === null ? [] : await readRunning(names, [[key, next]]);
      const text = running ? null : await redis.hget(disabledKey(names), key);
      const kept = text === null ? undefined : readKept(text);
      const found = running ?? (kept && storedOfKept(kept));
      if (found === undefined) return undefined;
      const lastRun = await redis.hget(lastRunsKey(names), key);
      const [scheduler = found] = await lastRuns.complete(
        names,
        [found],
        new Map(lastRun === null ? [] : [[key, lastRun]]),
      );
      return describeSchedule(names, scheduler, priorities);
    },
  };
}

/** All pairs of a scanned hash or sorted set, at most twice the limit of schedulers. A pair may be scanned twice. */
async function scanPairs(scan: (cursor: string) => Promise<[string, string[]]>): Promise<ReadonlyMap<string, string>> {
  const pairs = new Map<string, string>();
  let cursor = "0";
  do {
    const [next, found] = await scan(cursor);
    for (let at = 0; at + 1 < found.length; at += 2) pairs.set(found[at] as string, found[at + 1] as string);
    cursor = next;
  } while (cursor !== "0" && pairs.size <= mostSchedulers);
  return pairs;
}
