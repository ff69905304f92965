import type { AgentLog, EventSink } from "@svc/agent";
import { type EventRecord, sidecarEventId } from "@svc/protocol";
import type { Redis } from "ioredis";
import { type createFamily, keyOf } from "./family.ts";
import { type createHydrator, need } from "./hydrate.ts";
import { type JobFacts, unknownJob } from "./job-facts.ts";
import { failureOf, type JobHash, msOrUndefined, parentOf, readInputs } from "./job-hash.ts";
import { taskIdIn, taskIdOf } from "./names.ts";
import type { Settings } from "./options.ts";
import { readPayload } from "./payload.ts";
import type { QueueWatch } from "./queue-watch.ts";
import { msOf, type RawEntry } from "./stream-entry.ts";
import { eventData, firstWaitMs, iso } from "./task-events.ts";

/**
 * Rebuilds what the sorted sets, lists and hashes still tell about the time in which stream entries were lost: tasks that ended, and the
 * present state of those that did not. Each event is made of a time that the engine stored, so that two agents, or one that repeats
 * itself after a crash, make the same event. Jobs that were removed on completion are gone and are not invented.
 *
 * @param sinceMs time of the newest entry before the gap.
 * @param firstReadableId first entry behind the gap, null when there is none; what it and its neighbours tell is not told twice.
 * @returns number of events made.
 */
export type Reconcile = (watch: QueueWatch, sinceMs: number, firstReadableId: string | null) => Promise<number>;

export interface ReconcileParts {
  readonly redis: Redis;
  readonly settings: Pick<Settings, "engine" | "namespace" | "priorities">;
  readonly hydrate: ReturnType<typeof createHydrator>;
  readonly family: ReturnType<typeof createFamily>;
  readonly sink: EventSink;
  readonly log: AgentLog;
}

const pageSize = 500;
/** Pages of unfinished jobs looked at per list: the newest 10 000 of each. */
const mostListPages = 20;
/** The engine's clock is a worker's, the stream's is Redis's. */
const clockSlackMs = 2000;

type Shape = "completed" | "failed" | "active" | "waiting" | "delayed";

export function createReconcile({ redis, settings, hydrate, family, sink, log }: ReconcileParts): Reconcile {
  return async (watch, sinceMs, firstReadableId) => {
    const untilMs = firstReadableId === null ? Number.MAX_SAFE_INTEGER : msOf(firstReadableId) + clockSlackMs;
    const told = firstReadableId === null ? new Set<string>() : await endsToldBehind(watch, firstReadableId);
    const span = { fromMs: Math.max(sinceMs - clockSlackMs, 0), untilMs };
    let made = 0;
    for (const set of ["completed", "failed"] as const)
      for await (const ids of endedJobs(watch, set, span))
        made += await rebuild(
          watch,
          set,
          ids.filter((id) => !told.has(id)),
          span.fromMs,
        );
    for (const [shape, key, kind] of openPlaces)
      for await (const ids of openJobs(watch.names.keyBase + key, kind)) {
        const count = await rebuild(watch, shape, ids, span.fromMs);
        made += count;
        if (count === 0 && shape === "waiting") break; // newest first: the rest was there before the gap
      }
    log.info("rebuilt tasks after a gap", { queue: watch.names.source, events: made });
    return made;
  };

  async function rebuild(watch: QueueWatch, shape: Shape, ids: readonly string[], fromMs: number): Promise<number> {
    if (ids.length === 0) return 0;
    const needs = need.beginning | need.worker | need.failure | need.result;
    const { hashes } = await hydrate(new Map(ids.map((id) => [watch.names.keyBase + id, needs])));
    const parents = [...hashes.values()].flatMap((hash) => parentOf(hash) ?? []);
    const roots = parents.length === 0 ? undefined : await family.rootsOf(parents, hashes);
    const events: EventRecord[] = [];
    for (const id of ids) {
      const hash = hashes.get(watch.names.keyBase + id);
      if (hash?.data === undefined) continue;
      const parent = parentOf(hash);
      const root = parent && roots?.get(keyOf(parent));
      const facts: JobFacts = {
        ...unknownJob(watch.names.source, id),
        name: hash.name,
        starts: Number(hash.ats ?? 0),
        worker: hash.pb,
        parentTaskId: parent && taskIdIn(parent.queueKey, parent.id, settings.namespace),
        rootTaskId: root && taskIdIn(root.queueKey, root.id, settings.namespace),
      };
      events.push(...eventsOf(watch, shape, { id, hash, facts, fromMs }));
    }
    if (events.length > 0) sink.emit(events);
    return events.length;
  }

  function eventsOf(watch: QueueWatch, shape: Shape, job: RebuiltJob): readonly EventRecord[] {
    const { id, hash, facts, fromMs } = job;
    const taskId = taskIdOf(watch.names, id);
    const inputs = readInputs(hash, settings.priorities);
    facts.retriedFrom = inputs.retriedFrom;
    facts.traceparent = inputs.traceparent;
    const attempt = Math.max(facts.starts - 1, 0);
    const startedMs = msOrUndefined(hash.processedOn);
    const events: EventRecord[] = [];
    const { engine } = settings;
    const add = (kind: string, ms: number | undefined, at: number, more: Readonly<Record<string, unknown>>) => {
      if (ms === undefined || ms < fromMs) return;
      const isFirst = events.length === 0;
      const context = { engine, names: watch.names, taskId, facts, hash, inputs: isFirst ? inputs : undefined };
      events.push({
        id: sidecarEventId({ engine, source: watch.names.source, nativeId: `stored:${at}:${ms}`, taskId, kind }),
        kind,
        engine,
        task_id: taskId,
        occurred_at: iso(ms),
        data: eventData(context, at, { ...more, reconciled: true }),
      });
    };
    add("task.sent", inputs.createdMs, 0, {});
    if (shape === "waiting") {
      // A job that ran already waits since some time after its last start; it has no other clock.
      const isRetry = Number(hash.atm ?? 0) > 0 && hash.failedReason !== undefined && startedMs !== undefined;
      if (isRetry) add("task.retried", startedMs, attempt, { worker: facts.worker, ...failureOf(hash, -1) });
      else add("task.received", startedMs ?? inputs.createdMs, facts.starts, { max_attempts: inputs.maxAttempts });
      return events;
    }
    const waitMs = startedMs === undefined ? undefined : firstWaitMs(inputs, facts.starts, startedMs);
    add("task.started", startedMs, attempt, { worker: facts.worker, wait_ms: waitMs });
    if (shape === "delayed" && Number(hash.atm ?? 0) > 0 && hash.failedReason !== undefined)
      add("task.retried", startedMs, attempt, { worker: facts.worker, ...failureOf(hash, -1) });
    if (shape !== "completed" && shape !== "failed") return events;
    const finishedMs = msOrUndefined(hash.finishedOn);
    const runtimeMs =
      finishedMs === undefined || startedMs === undefined ? undefined : Math.max(finishedMs - startedMs, 0);
    const outcome =
      shape === "completed" ? { result: readPayload(hash.returnvalue) ?? null } : { ...failureOf(hash, -1) };
    add(`task.${shape === "completed" ? "succeeded" : "failed"}`, finishedMs, attempt, {
      worker: facts.worker,
      runtime_ms: runtimeMs,
      ...outcome,
    });
    return events;
  }

  /** Jobs whose end is among the first entries that can still be read. */
  async function endsToldBehind(watch: QueueWatch, firstId: string): Promise<ReadonlySet<string>> {
    const until = `${msOf(firstId) + clockSlackMs}-18446744073709551615`;
    const ended = new Set<string>();
    let from = firstId;
    for (;;) {
      const page = (await redis.xrange(watch.names.eventsKey, from, until, "COUNT", pageSize)) as readonly RawEntry[];
      for (const [, fields] of page) {
        const event = fields[fields.indexOf("event") + 1];
        const jobId = fields[fields.indexOf("jobId") + 1];
        if (jobId !== undefined && (event === "completed" || event === "failed")) ended.add(jobId);
      }
      const last = page.at(-1);
      if (page.length < pageSize || !last) return ended;
      from = `(${last[0]}`;
    }
  }

  /** Ids in a finished set by time of their end. Many may share a millisecond, so a page continues at the last score. */
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

  async function* openJobs(key: string, kind: "list" | "set") {
    for (let page = 0; page < mostListPages; page += 1) {
      const start = page * pageSize;
      const stop = start + pageSize - 1;
      const ids = kind === "list" ? await redis.lrange(key, start, stop) : await redis.zrevrange(key, start, stop);
      if (ids.length > 0) yield ids;
      if (ids.length < pageSize) return;
    }
  }
}

interface RebuiltJob {
  readonly id: string;
  readonly hash: JobHash;
  readonly facts: JobFacts;
  readonly fromMs: number;
}

const openPlaces: readonly (readonly [Shape, string, "list" | "set"])[] = [
  ["active", "active", "list"],
  ["waiting", "wait", "list"],
  ["waiting", "paused", "list"],
  ["waiting", "prioritized", "set"],
  ["delayed", "delayed", "set"],
  ["delayed", "waiting-children", "set"],
];
