import type { AgentLog } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import type { Lineage, ReadLineages } from "../jobs/family.ts";
import { type createHydrator, type Hydration, need } from "../jobs/hydrate.ts";
import { type FactsMemory, JobFacts } from "../jobs/job-facts.ts";
import { type JobInputs, readInputs } from "../jobs/job-hash.ts";
import type { Settings } from "../options.ts";
import { taskIdOf } from "../redis/names.ts";
import { noteStarts } from "../stream/stored-cursor.ts";
import type { StreamEntry } from "../stream/stream-entry.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import { isManualRetry, taskEventOf } from "./task-events.ts";

export interface QueueEntries {
  readonly watch: QueueWatch;
  readonly entries: readonly StreamEntry[];
}

export interface TranslatorParts {
  readonly settings: Pick<Settings, "engine" | "priorities">;
  readonly memory: FactsMemory;
  readonly hydrate: ReturnType<typeof createHydrator>;
  readonly readLineages: ReadLineages;
  readonly log: AgentLog;
}

/**
 * Turns entries of several streams into events. All reads from Redis happen first, for all streams together. Then the entries are
 * processed synchronously and in order, so that the facts always match the emitted events.
 */
export function createTranslator({ settings, memory, hydrate, readLineages, log }: TranslatorParts) {
  return async function translate(batches: readonly QueueEntries[]) {
    const plan = planReads(batches, memory);
    const hydration = await hydrate(plan.needs);
    const beginnings = await readBeginnings(plan, hydration);
    /** Number of entries that caused an error. */
    let unreadable = 0;
    /** One list of events for each list of entries, in order. */
    const events = batches.map(({ watch, entries }) => {
      const made: EventRecord[] = [];
      for (const entry of entries) {
        const taskId = taskIdOf(watch.names, entry.jobId);
        try {
          const event = walk(watch, entry, taskId, { plan, hydration, beginnings });
          if (event) made.push(event);
        } catch (fault) {
          unreadable += 1;
          log.warn("could not read an event stream entry", { entry: entry.id, reason: String(fault) });
        }
      }
      return made;
    });
    return { events, unreadable };
  };

  function walk(watch: QueueWatch, entry: StreamEntry, taskId: string, reads: Reads): EventRecord | undefined {
    const key = watch.names.keyBase + entry.jobId;
    const hash = reads.hydration.hashes.get(key);
    const beginning = reads.beginnings.get(taskId);
    let facts = memory.get(taskId);
    if (entry.event === "added" || !facts || facts.isStale) {
      facts = entry.event === "added" ? newJob(watch, entry) : joinedJob(watch, entry, facts, reads);
      if (beginning) applyBeginning(facts, beginning);
      memory.set(taskId, facts);
    }
    const { engine } = settings;
    const event = taskEventOf(entry, { engine, names: watch.names, taskId, facts, hash, inputs: beginning?.inputs });
    if (event && beginning) reads.beginnings.delete(taskId);
    noteStarts(watch.starts, entry.jobId, facts.starts, facts.endedMs !== undefined);
    return event;
  }

  async function readBeginnings(plan: ReadPlan, { hashes }: Hydration): Promise<Map<string, Beginning>> {
    const beginnings = new Map<string, Beginning>();
    const lineages = await readLineages(plan.beginnings.values(), hashes);
    for (const [taskId, key] of plan.beginnings) {
      const hash = hashes.get(key);
      if (hash?.data === undefined) continue;
      const inputs = readInputs(hash, settings.priorities);
      beginnings.set(taskId, { name: hash.name, inputs, lineage: lineages.get(key) });
    }
    return beginnings;
  }
}

function applyBeginning(facts: JobFacts, { name, inputs, lineage }: Beginning): void {
  facts.name ??= name;
  facts.maxAttempts = inputs.maxAttempts;
  facts.retriedFrom = inputs.retriedFrom;
  facts.traceparent = inputs.traceparent;
  if (inputs.delayMs > 0 && inputs.createdMs !== undefined) facts.etaMs = inputs.createdMs + inputs.delayMs;
  facts.parentTaskId = lineage?.parentTaskId ?? facts.parentTaskId;
  facts.rootTaskId = lineage?.rootTaskId ?? facts.rootTaskId;
}

interface Beginning {
  readonly name: string | undefined;
  readonly inputs: JobInputs;
  readonly lineage: Lineage | undefined;
}

interface Reads {
  readonly plan: ReadPlan;
  readonly hydration: Hydration;
  readonly beginnings: Map<string, Beginning>;
}

type ReadPlan = ReturnType<typeof planReads>;

function planReads(batches: readonly QueueEntries[], memory: FactsMemory) {
  /** Fields to read, by key of the job hash. */
  const needs = new Map<string, number>();
  /** Key of the job hash by task id, for tasks that are seen for the first time. */
  const beginnings = new Map<string, string>();
  /** Number of starts within these entries of each job that was not watched from its beginning, by key. */
  const startsAhead = new Map<string, number>();
  for (const { watch, entries } of batches) {
    const { names } = watch;
    for (const entry of entries) {
      const wanted = needsOf(entry);
      const isAdded = entry.event === "added";
      // Most entries of a known task need no reads, so avoid the cost of building its key.
      const taskId = taskIdOf(names, entry.jobId);
      const isNew = isAdded || (!beginnings.has(taskId) && (memory.get(taskId)?.isStale ?? true));
      if (wanted === 0 && !isNew) continue;
      const key = names.keyBase + entry.jobId;
      if (isNew) {
        beginnings.set(taskId, key);
        if (!isAdded) startsAhead.set(key, 0);
      }
      if (entry.event === "active" && startsAhead.has(key)) startsAhead.set(key, (startsAhead.get(key) ?? 0) + 1);
      needs.set(key, (needs.get(key) ?? 0) | wanted | (isNew ? need.beginning | need.worker : 0));
    }
  }
  return { needs, beginnings, startsAhead };
}

function needsOf(entry: StreamEntry): number {
  switch (entry.event) {
    case "active":
      return need.worker;
    case "failed":
    case "delayed":
      return need.failure;
    case "waiting":
      return entry.prev === "active" || isManualRetry(entry) ? need.failure : 0;
    default:
      return 0;
  }
}

function newJob(watch: QueueWatch, entry: StreamEntry): JobFacts {
  return { ...new JobFacts(watch.names.source, entry.jobId), name: entry.name, attemptsMade: 0 };
}

/**
 * A job first seen in the middle of its life, or again after a gap. Its hash holds the current number of starts, from which the starts in
 * the entries still to process are subtracted. Without a hash, the older facts or the stored cursor apply, else a first attempt.
 */
function joinedJob(
  watch: QueueWatch,
  entry: StreamEntry,
  older: JobFacts | undefined,
  { plan, hydration }: Reads,
): JobFacts {
  const key = watch.names.keyBase + entry.jobId;
  const hash = hydration.hashes.get(key);
  const hasRun = entry.event === "completed" || entry.event === "failed" || entry.prev === "active";
  const counted = Math.max(older?.starts ?? 0, watch.starts.get(entry.jobId) ?? 0, hasRun ? 1 : 0);
  if (hash?.ats === undefined)
    return { ...(older ?? new JobFacts(watch.names.source, entry.jobId)), starts: counted, isStale: false };
  const startsNow = Number(hash.ats);
  return {
    ...new JobFacts(watch.names.source, entry.jobId),
    name: older?.name,
    starts: Math.max(startsNow - (plan.startsAhead.get(key) ?? 0), counted),
    startsWhenRead: startsNow,
    readAtMs: hydration.readAtMs,
    worker: entry.event === "active" ? undefined : hash.pb,
  };
}
