import type { Redis } from "ioredis";
import { replyValue } from "./hydrate.ts";
import { type JobHash, parentOf } from "./job-hash.ts";

/** `bull:emails` and the job's id. */
export interface JobAddress {
  readonly queueKey: string;
  readonly id: string;
}

const rememberedLinks = 20_000;
const deepestClimb = 50;

/**
 * Finds the root of a flow by climbing from parent to parent, across queues. Links are remembered; what is unknown is read level by
 * level, one pipeline a level. Parents that are gone end the climb at the last one known.
 */
export function createFamily(redis: Redis) {
  const parents = new Map<string, JobAddress | null>();

  function remember(child: string, parent: JobAddress | null): void {
    if (parents.size >= rememberedLinks) {
      const oldest = parents.keys().next();
      if (!oldest.done) parents.delete(oldest.value);
    }
    parents.set(child, parent);
  }

  /** The root of each job, by `<queueKey>:<id>` of the first ancestor given. */
  async function rootsOf(
    firstAncestors: readonly JobAddress[],
    known: ReadonlyMap<string, JobHash>,
  ): Promise<ReadonlyMap<string, JobAddress>> {
    const roots = new Map<string, JobAddress>();
    const climbing = new Map<string, JobAddress>();
    for (const ancestor of firstAncestors) climbing.set(keyOf(ancestor), ancestor);
    for (let level = 0; climbing.size > 0 && level < deepestClimb; level += 1) {
      await learn([...climbing.values()], known);
      for (const [start, at] of climbing) {
        const parent = parents.get(keyOf(at));
        if (parent) climbing.set(start, parent);
        else {
          roots.set(start, at);
          climbing.delete(start);
        }
      }
    }
    for (const [start, at] of climbing) roots.set(start, at);
    return roots;
  }

  async function learn(jobs: readonly JobAddress[], known: ReadonlyMap<string, JobHash>): Promise<void> {
    const unread = new Set<string>();
    for (const job of jobs) {
      const key = keyOf(job);
      if (parents.has(key)) continue;
      const hash = known.get(key);
      if (hash?.data !== undefined) remember(key, parentOf(hash) ?? null);
      else unread.add(key);
    }
    if (unread.size === 0) return;
    const pipeline = redis.pipeline();
    for (const key of unread) pipeline.hmget(key, "parent", "parentKey");
    const replies = (await pipeline.exec()) ?? [];
    for (const [index, key] of [...unread].entries()) {
      const [parent, parentKey] = replyValue(replies[index]) as readonly (string | null)[];
      remember(key, parentOf({ ...(parent ? { parent } : {}), ...(parentKey ? { parentKey } : {}) }) ?? null);
    }
  }

  return { rootsOf };
}

export function keyOf(job: JobAddress): string {
  return `${job.queueKey}:${job.id}`;
}
