import type { AdapterSnapshot, AgentLog, QueueHold } from "@svc/agent";
import type { Redis } from "ioredis";
import { iso } from "../events/task-events.ts";
import type { FactsMemory } from "../jobs/job-facts.ts";
import { msOrUndefined } from "../jobs/job-hash.ts";
import type { Settings } from "../options.ts";
import { createClientList, type WorkerConnection } from "../redis/client-list.ts";
import { type QueueNames, queueNames, taskIdOf } from "../redis/names.ts";
import { askEach } from "../redis/pipeline.ts";
import type { QueueWatch } from "../stream/stream-position.ts";

/** The brain reads at most this many queues and workers per report; further queues follow in the next report. */
const mostQueues = 1024;
const answersPerQueue = 9;
/** The value that `queue.rateLimit` writes: nothing may start, whatever the limit. */
const stopped = Number.MAX_SAFE_INTEGER;

export interface SnapshotParts {
  readonly redis: Redis;
  readonly settings: Pick<Settings, "prefixes" | "namespace">;
  readonly memory: FactsMemory;
  readonly log: AgentLog;
}

/**
 * The depth of a queue is the number of jobs that are ready to run: waiting, paused and prioritized ones, but not delayed jobs or parents
 * that wait for their children. The oldest waiting job is the next in line. A queue is held while it is paused or its global rate limit
 * is used up; a limit that is set only in a worker's options is not visible here.
 */
export function createSnapshot({ redis, settings, memory, log }: SnapshotParts) {
  const listWorkers = createClientList(redis, settings.prefixes, () =>
    log.info("Redis does not allow listing clients; workers are known only by their tasks"),
  );

  let turn = 0;

  return async function snapshot(watches: readonly QueueWatch[]): Promise<AdapterSnapshot> {
    const begin = turn * mostQueues < watches.length ? turn * mostQueues : 0;
    turn = begin / mostQueues + 1;
    const queues = watches.slice(begin, begin + mostQueues);
    const depths = await readDepths(queues);
    const connections = await listWorkers();
    return {
      queue_depths: Object.fromEntries(queues.map(({ names }, index) => [names.label, depths[index]?.depth ?? 0])),
      queue_oldest: await readOldest(queues, depths),
      queue_holds: Object.fromEntries(
        queues.flatMap(({ names }, index) => {
          const hold = depths[index]?.hold;
          return hold === undefined ? [] : [[names.label, hold]];
        }),
      ),
      ...(connections && { queue_consumers: countConsumers(queues, connections) }),
      ...(connections && { worker_details: detailsOf(connections) }),
    };
  };

  async function readDepths(queues: readonly QueueWatch[]) {
    const answers = await askEach(redis, queues, (pipeline, { names: { keyBase } }) => {
      pipeline.llen(`${keyBase}wait`).llen(`${keyBase}paused`).zcard(`${keyBase}prioritized`);
      pipeline.lindex(`${keyBase}wait`, "-1").lindex(`${keyBase}paused`, "-1");
      pipeline.zrange(`${keyBase}prioritized`, "0", "0");
      pipeline.hmget(`${keyBase}meta`, "paused", "max");
      pipeline.get(`${keyBase}limiter`).pttl(`${keyBase}limiter`);
    });
    return queues.map((_, index) => {
      const [wait, paused, prioritized, nextWaiting, nextPaused, nextPrioritized, meta, started, limitedMs] =
        answers.slice(index * answersPerQueue, (index + 1) * answersPerQueue);
      const next = (nextWaiting ?? nextPaused ?? (nextPrioritized as string[])[0]) as string | undefined;
      const [isPaused, most] = meta as (string | null)[];
      return {
        depth: Number(wait) + Number(paused) + Number(prioritized),
        next,
        hold: holdOf(isPaused === "1", Number(started) >= Number(most ?? stopped) ? Number(limitedMs) : 0),
      };
    });
  }

  async function readOldest(
    queues: readonly QueueWatch[],
    depths: readonly { readonly next: string | undefined }[],
  ): Promise<Readonly<Record<string, string>>> {
    const oldest: Record<string, string> = {};
    const unknown: { readonly names: QueueNames; readonly next: string }[] = [];
    for (const [index, { names }] of queues.entries()) {
      const next = depths[index]?.next;
      if (next === undefined) continue;
      const waitingSinceMs = memory.get(taskIdOf(names, next))?.waitingSinceMs;
      if (waitingSinceMs !== undefined) oldest[names.label] = iso(waitingSinceMs);
      else unknown.push({ names, next });
    }
    const answers = await askEach(redis, unknown, (pipeline, { names, next }) =>
      pipeline.hget(names.keyBase + next, "timestamp"),
    );
    for (const [index, { names }] of unknown.entries()) {
      const createdMs = msOrUndefined((answers[index] as string | null) ?? undefined);
      if (createdMs !== undefined) oldest[names.label] = iso(createdMs);
    }
    return oldest;
  }

  function countConsumers(queues: readonly QueueWatch[], connections: readonly WorkerConnection[]) {
    const counts: Record<string, number> = Object.fromEntries(queues.map(({ names }) => [names.label, 0]));
    for (const { prefix, queue } of connections) {
      const { label } = queueNames(prefix, queue, settings.namespace);
      if (label in counts) counts[label] = (counts[label] ?? 0) + 1;
    }
    return counts;
  }

  /** Only named workers can be distinguished. */
  function detailsOf(connections: readonly WorkerConnection[]) {
    const queuesByWorker = new Map<string, Set<string>>();
    for (const { prefix, queue, worker } of connections) {
      if (worker === undefined || (queuesByWorker.size >= mostQueues && !queuesByWorker.has(worker))) continue;
      const queues = queuesByWorker.get(worker) ?? new Set();
      queues.add(queueNames(prefix, queue, settings.namespace).label);
      queuesByWorker.set(worker, queues);
    }
    return Object.fromEntries([...queuesByWorker].map(([worker, queues]) => [worker, { active_queues: [...queues] }]));
  }
}

/** @param limitedMs how long the rate limit allows no further starts. */
function holdOf(isPaused: boolean, limitedMs: number): QueueHold | undefined {
  if (!isPaused && limitedMs <= 0) return undefined;
  return { ...(isPaused && { paused: true }), ...(limitedMs > 0 && { limited_until: iso(Date.now() + limitedMs) }) };
}
