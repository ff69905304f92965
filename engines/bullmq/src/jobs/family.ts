import type { Redis } from "ioredis";
import { taskIdIn } from "../redis/names.ts";
import { askEach } from "../redis/pipeline.ts";
import { type JobHash, parentOf } from "./job-hash.ts";

/** A queue key such as `bull:emails` and the job's id. */
interface JobAddress {
  readonly queueKey: string;
  readonly id: string;
}

/** Task ids of the flow parent of a job and of the root above it. */
export interface Lineage {
  readonly parentTaskId: string;
  readonly rootTaskId: string;
}

/** The lineage of those jobs that have a parent, by the key of their hash. */
export type ReadLineages = (
  keys: Iterable<string>,
  hashes: ReadonlyMap<string, JobHash>,
) => Promise<ReadonlyMap<string, Lineage>>;

const rememberedLinks = 20_000;
const deepestClimb = 50;

/**
 * Finds the root of a flow by climbing from parent to parent, across queues. Links are cached; unknown ones are read level by level. The
 * climb ends at the last known parent when the next one was removed.
 */
export function createFamily(redis: Redis, namespace: string): ReadLineages {
  const parents = new Map<string, JobAddress | null>();

  function remember(child: string, parent: JobAddress | null): void {
    if (parents.size >= rememberedLinks) {
      const oldest = parents.keys().next();
      if (!oldest.done) parents.delete(oldest.value);
    }
    parents.set(child, parent);
  }

  /** The last known ancestor of each job, or the job itself when it has no parent. */
  async function climb(jobs: readonly JobAddress[], known: ReadonlyMap<string, JobHash>): Promise<JobAddress[]> {
    let tops = [...jobs];
    for (let level = 0; level < deepestClimb; level += 1) {
      await learn(tops, known);
      const next = tops.map((job) => parents.get(keyOf(job)) ?? job);
      if (next.every((job, index) => job === tops[index])) break;
      tops = next;
    }
    return tops;
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
    const keys = [...unread];
    const answers = await askEach(redis, keys, (pipeline, key) => pipeline.hmget(key, "parent", "parentKey"));
    for (const [index, key] of keys.entries()) {
      const [parent, parentKey] = answers[index] as readonly (string | null)[];
      remember(key, parentOf({ ...(parent ? { parent } : {}), ...(parentKey ? { parentKey } : {}) }) ?? null);
    }
  }

  return async (keys, hashes) => {
    const children = [...keys].flatMap((key) => {
      const hash = hashes.get(key);
      const parent = hash?.data === undefined ? undefined : parentOf(hash);
      return parent ? [{ key, parent }] : [];
    });
    const roots = await climb(
      children.map(({ parent }) => parent),
      hashes,
    );
    const idOf = ({ queueKey, id }: JobAddress) => taskIdIn(queueKey, id, namespace);
    return new Map(
      children.map(({ key, parent }, index) => [
        key,
        { parentTaskId: idOf(parent), rootTaskId: idOf(roots[index] ?? parent) },
      ]),
    );
  };
}

const keyOf = ({ queueKey, id }: JobAddress): string => `${queueKey}:${id}`;
