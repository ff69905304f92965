import type { EventRecord } from "@svc/protocol";
import type { JobFacts } from "../jobs/job-facts.ts";
import { failureOf, type JobHash, type JobInputs, msOrUndefined } from "../jobs/job-hash.ts";
import { readPayload } from "../jobs/payload.ts";
import { type QueueNames, taskIdOf } from "../redis/names.ts";
import { event, firstWaitMs } from "./task-events.ts";

type Data = Readonly<Record<string, unknown>>;

/** Where a job is found. Parents that wait for their children count as delayed. */
export type Shape = "completed" | "failed" | "active" | "waiting" | "delayed";

/** The time of which stream entries are missing, in milliseconds. */
export interface Gap {
  /** What happened before was told. */
  readonly fromMs: number;
  /** What is missing had happened by then. Redis tells it, so every agent that finds the gap takes the same. */
  readonly endMs: number;
}

export interface StoredJob {
  readonly engine: string;
  readonly names: QueueNames;
  readonly shape: Shape;
  readonly hash: JobHash;
  readonly inputs: JobInputs;
  /** What the hash tells. */
  readonly facts: JobFacts;
  /** What the stream had told of the job before the gap, as far as it is remembered. */
  readonly known: JobFacts | undefined;
}

/**
 * The events of one job that the gap swallowed, as far as its hash tells them. Each is made of a time that the engine stored, so that two
 * agents make the same. BullMQ stores no time for going back to wait: such a state is told with the end of the gap.
 */
export function rebuiltEvents(job: StoredJob, gap: Gap): readonly EventRecord[] {
  const { engine, names, shape, hash, inputs, facts, known } = job;
  if (isTold(job)) return [];
  const events: EventRecord[] = [];
  const attempt = Math.max(facts.starts - 1, 0);
  const startedMs = msOrUndefined(hash.processedOn);
  const add = (kind: string, ms: number | undefined, at: number, more: Data) => {
    if (ms === undefined || ms < gap.fromMs) return;
    const context = { engine, names, taskId: taskIdOf(names, facts.jobId), facts };
    const entry = { id: `stored:${at}:${ms}`, ms };
    // What the task began with is told by its first event.
    const told = { ...context, inputs: events.length === 0 ? inputs : undefined };
    events.push(event(kind, entry, told, at, { ...more, reconciled: true }));
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

/** Whether the state in which the job is found is the one that was told last. */
function isTold({ shape, facts, known }: StoredJob): boolean {
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
