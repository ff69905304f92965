import type { EventSink } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import type { Redis } from "ioredis";
import { need } from "../jobs/hydrate.ts";
import { JobFacts } from "../jobs/job-facts.ts";
import { readInputs } from "../jobs/job-hash.ts";
import { taskIdOf } from "../redis/names.ts";
import { msOf, type RawEntry, readEntry } from "../stream/stream-entry.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import { type Gap, rebuiltEvents, type Shape } from "./rebuild.ts";
import type { TranslatorParts } from "./translate.ts";

/**
 * Rebuilds events for a gap in the stream from Redis's sorted sets, lists and hashes: tasks that ended, and the present state of the
 * others. Events that were reported before the gap, or follow from the entries after it, are not repeated. Jobs that were removed on
 * completion cannot be rebuilt.
 *
 * @param sinceMs time of the newest entry before the gap.
 * @param nextId reading continues after this id.
 * @returns the number of rebuilt events.
 */
export type Reconcile = (watch: QueueWatch, sinceMs: number, nextId: string) => Promise<number>;

interface ReconcileParts extends TranslatorParts {
  readonly redis: Redis;
  readonly sink: EventSink;
}

const pageSize = 500;
/** Pages of unfinished jobs to read per list or set: 10 000 jobs of each. */
const mostOpenPages = 20;
/** Jobs carry the clock of a worker, stream entries that of Redis. */
const clockSlackMs = 2000;

export function createReconcile({
  redis,
  settings,
  memory,
  hydrate,
  readLineages,
  sink,
  log,
}: ReconcileParts): Reconcile {
  return async (watch, sinceMs, nextId) => {
    const gap = { fromMs: Math.max(sinceMs - clockSlackMs, 0), endMs: msOf(nextId) };
    const upcoming = await jobsBehind(watch, nextId);
    const isMissing = (id: string) => !upcoming.has(id);
    let made = 0;
    for (const set of ["completed", "failed"] as const)
      for await (const ids of endedJobs(watch, set, { fromMs: gap.fromMs, untilMs: gap.endMs + clockSlackMs }))
        made += await rebuild(watch, set, ids.filter(isMissing), gap);
    for (const { shape, key, order } of openPlaces)
      for await (const ids of openJobs(watch.names.keyBase + key, order)) {
        const count = await rebuild(watch, shape, ids.filter(isMissing), gap);
        made += count;
        if (count === 0 && shape === "waiting" && order === "list") break; // newest first: the rest are older than the gap
      }
    log.info("rebuilt tasks after a gap", { queue: watch.names.source, events: made });
    return made;
  };

  async function rebuild(watch: QueueWatch, shape: Shape, ids: readonly string[], gap: Gap): Promise<number> {
    if (ids.length === 0) return 0;
    const needs = need.beginning | need.worker | need.failure | need.result;
    const { hashes } = await hydrate(new Map(ids.map((id) => [watch.names.keyBase + id, needs])));
    const lineages = await readLineages(hashes.keys(), hashes);
    const { engine, priorities } = settings;
    const events: EventRecord[] = [];
    for (const id of ids) {
      const hash = hashes.get(watch.names.keyBase + id);
      if (hash?.data === undefined) continue;
      const starts = Number(hash.ats ?? 0);
      const isEnded = shape === "completed" || shape === "failed";
      if (isEnded && watch.endedBefore[id] === starts) continue;
      const inputs = readInputs(hash, priorities);
      const facts = {
        ...new JobFacts(watch.names.source, id),
        name: hash.name,
        starts,
        worker: hash.pb,
        ...lineages.get(watch.names.keyBase + id),
        retriedFrom: inputs.retriedFrom,
        traceparent: inputs.traceparent,
      };
      const known = memory.get(taskIdOf(watch.names, id));
      events.push(...rebuiltEvents({ engine, names: watch.names, shape, hash, inputs, facts, known }, gap));
    }
    if (events.length > 0) sink.emit(events);
    return events.length;
  }

  /** Jobs in the first entries after the gap. */
  async function jobsBehind(watch: QueueWatch, nextId: string): Promise<ReadonlySet<string>> {
    const until = `${msOf(nextId) + clockSlackMs}-18446744073709551615`;
    const jobs = new Set<string>();
    let from = nextId;
    for (;;) {
      const { eventsKey } = watch.names;
      const page: readonly RawEntry[] = await redis.xrange(eventsKey, `(${from}`, until, "COUNT", pageSize);
      for (const raw of page) {
        const entry = readEntry(raw);
        if (entry !== undefined) jobs.add(entry.jobId);
      }
      const last = page.at(-1);
      if (page.length < pageSize || !last) return jobs;
      from = last[0];
    }
  }

  /** Ids in a finished set, ordered by end time. Many may share a millisecond, so a page continues at the last score. */
  async function* endedJobs(watch: QueueWatch, set: string, span: { fromMs: number; untilMs: number }) {
    let from = String(span.fromMs);
    let skip = 0;
    for (;;) {
      const key = watch.names.keyBase + set;
      const page = await redis.zrangebyscore(key, from, span.untilMs, "WITHSCORES", "LIMIT", skip, pageSize);
      if (page.length === 0) return;
      const lastScore = page.at(-1) ?? from;
      const sameScore = page.filter((value, index) => index % 2 === 1 && value === lastScore).length;
      skip = lastScore === from ? skip + sameScore : sameScore;
      from = lastScore;
      yield page.filter((_, index) => index % 2 === 0);
    }
  }

  function readOpen(key: string, order: Order, start: number, stop: number): Promise<string[]> {
    if (order === "list") return redis.lrange(key, start, stop);
    return order === "lowest" ? redis.zrange(key, String(start), String(stop)) : redis.zrevrange(key, start, stop);
  }

  async function* openJobs(key: string, order: Order) {
    for (let page = 0; page < mostOpenPages; page += 1) {
      const start = page * pageSize;
      const stop = start + pageSize - 1;
      const ids = await readOpen(key, order, start, stop);
      if (ids.length > 0) yield ids;
      if (ids.length < pageSize) return;
    }
  }
}

/** A list starts with its newest job. From a set, the members with the lowest or highest scores are read. */
type Order = "list" | "lowest" | "highest";

const openPlaces: readonly { readonly shape: Shape; readonly key: string; readonly order: Order }[] = [
  { shape: "active", key: "active", order: "list" },
  { shape: "waiting", key: "wait", order: "list" },
  { shape: "waiting", key: "paused", order: "list" },
  { shape: "waiting", key: "prioritized", order: "lowest" }, // what runs next
  { shape: "delayed", key: "delayed", order: "lowest" }, // what is due next
  { shape: "delayed", key: "waiting-children", order: "highest" }, // the newest
];
