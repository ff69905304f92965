import type { EventRecord } from "@svc/protocol";
import type { JobFacts } from "../jobs/job-facts.ts";
import { failureOf, type JobHash, type JobInputs, msOrUndefined } from "../jobs/job-hash.ts";
import { readPayload } from "../jobs/payload.ts";
import { type QueueNames, taskIdOf } from "../redis/names.ts";
import { event, firstWaitMs } from "./task-events.ts";

type Data = Readonly<Record<string, unknown>>;

/** The present state of a job. Parents that wait for their children count as delayed. */
export type Shape = "completed" | "failed" | "active" | "waiting" | "delayed";

/** The time range of the missing stream entries, in milliseconds. */
export interface Gap {
  /** Everything before this time was reported. */
  readonly fromMs: number;
  /** The missing entries are no later than this. It comes from Redis, so that all agents that find the gap use the same time. */
  readonly endMs: number;
}

export interface StoredJob {
  readonly engine: string;
  readonly names: QueueNames;
  readonly shape: Shape;
  readonly hash: JobHash;
  readonly inputs: JobInputs;
  /** Read from the hash. */
  readonly facts: JobFacts;
  /** Remembered from the stream before the gap. */
  readonly known: JobFacts | undefined;
}

/**
 * Rebuilds the events of one job that were lost in the gap, from its hash. Each event uses a time that the engine stored, so that two
 * agents make the same events. BullMQ stores no time for a return to waiting: such a state is reported with the end of the gap.
 */
export function rebuiltEvents(job: StoredJob, gap: Gap): readonly EventRecord[] {
  const { engine, names, shape, hash, inputs, facts, known } = job;
  if (isReported(job)) return [];
  const events: EventRecord[] = [];
  const attempt = Math.max(facts.starts - 1, 0);
  const startedMs = msOrUndefined(hash.processedOn);
  const add = (kind: string, ms: number | undefined, at: number, more: Data) => {
    if (ms === undefined || ms < gap.fromMs) return;
    const context = { engine, names, taskId: taskIdOf(names, facts.jobId), facts };
    const entry = { id: `stored:${at}:${ms}`, ms };
    // Only the first event carries the task's inputs.
    const eventContext = { ...context, inputs: events.length === 0 ? inputs : undefined };
    events.push(event(kind, entry, eventContext, at, { ...more, reconciled: true }));
  };
  const addState = (kind: string, ms: number | undefined, at: number, more: Data) =>
    add(kind, ms === undefined || ms < gap.fromMs ? gap.endMs : ms, at, more);
  const hasFailed = Number(hash.atm ?? 0) > 0 && hash.failedReason !== undefined;

  if (!known) add("task.sent", inputs.createdMs, 0, {});
  if (facts.starts > (known?.starts ?? 0)) {
    const waitMs = startedMs === undefined ? undefined : firstWaitMs(inputs, facts.starts, startedMs);
    add("task.started", startedMs, attempt, { worker: facts.worker, wait_ms: waitMs });
  }
  switch (shape) {
    case "waiting":
    case "delayed":
      if (facts.starts > 0 && hasFailed)
        addState("task.retried", startedMs, attempt, { worker: facts.worker, ...failureOf(hash, -1) });
      else if (shape === "waiting") {
        const beganMs = facts.starts > 0 ? startedMs : Math.min(dueMs(inputs), gap.endMs);
        const isOld = !known && facts.starts === 0 && inputs.delayMs === 0 && dueMs(inputs) < gap.fromMs;
        if (!isOld) addState("task.received", beganMs, facts.starts, { max_attempts: inputs.maxAttempts });
      } else if (facts.starts > 0) addState("task.sent", startedMs, facts.starts, {});
      break;
    case "completed":
    case "failed": {
      const finishedMs = msOrUndefined(hash.finishedOn);
      const outcome = shape === "completed" ? { result: readPayload(hash.returnvalue) ?? null } : failureOf(hash, -1);
      add(`task.${shape === "completed" ? "succeeded" : "failed"}`, finishedMs, attempt, {
        worker: facts.worker,
        runtime_ms:
          finishedMs === undefined || startedMs === undefined ? undefined : Math.max(finishedMs - startedMs, 0),
        ...outcome,
      });
    }
  }
  return events;
}

/** Whether the job's present state is the one that was reported last. */
function isReported({ shape, facts, known }: StoredJob): boolean {
  if (known?.starts !== facts.starts) return false;
  switch (shape) {
    case "completed":
    case "failed":
      return known.endedMs !== undefined;
    case "waiting":
      return known.waitingSinceMs !== undefined;
    case "delayed":
      return known.waitingSinceMs === undefined && known.startedMs === undefined;
    case "active":
      return true;
  }
}

function dueMs({ createdMs, delayMs }: JobInputs): number {
  return createdMs === undefined ? Number.NaN : createdMs + delayMs;
}
