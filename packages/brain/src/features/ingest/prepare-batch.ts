import {
  batchTimeOf,
  type CarriedFields,
  canonicalText,
  carriedFields,
  eventIdOf,
  eventTimeOf,
  fitsCharacters,
  holdsLongNumber,
  type RecordHead,
  type Redactor,
  readRecordHead,
  receivedData,
  retentionHorizonMs,
} from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { withStorableNumbers } from "../../platform/database/values/stored-json.ts";
import { failureText, fingerprintOf } from "../issues/index.ts";
import { readScheduleReport, type ScheduleReport } from "../native-schedules/thread.ts";
import { type TaskEvent, taskEventOf } from "../tasks/thread.ts";

/** One verified event_batch frame. */
export interface IngestBatch {
  readonly projectId: string;
  readonly agentId: string;
  /** `ts` of the frame, ISO 8601 with a zone. */
  readonly frameTs: string;
  readonly sealedAt?: string;
  /** Records as parsed by `parseJson`. */
  readonly events: readonly unknown[];
  /** Text of the frame, from which number lexemes for derived ids are read. */
  readonly text?: string;
}

/** An event ready to be stored, with all values that ingest derives from it. */
export interface PreparedEvent {
  readonly id: string;
  /** Redacted data as JSON text; the `exception` of a failure is built by `failureText`. */
  readonly payload: string;
  /** Head and carried values; its key is empty when the event concerns no task. */
  readonly task: TaskEvent;
  /** The task that this one retries. */
  readonly retriedFrom: string | null;
  /** The worker that is the subject of a worker event. */
  readonly ownWorker: string | null;
  /** Set for a queue.depth_report. */
  readonly depths: Readonly<Record<string, number>> | null;
  /** Parent, root and origin that were not carried, although the stored payload seems to contain them. */
  readonly withheld: readonly FamilyField[] | null;
  /** Set for a schedule event of an engine's scheduler. */
  readonly schedule: ScheduleReport | null;
}

export interface PreparedBatch {
  readonly received: number;
  readonly events: PreparedEvent[];
  /** Reasons for dropped records and ignored changes of schedules; at most as many as an answer lists. */
  readonly errors: string[];
  readonly drops: ReadonlyMap<DropReason, number>;
  /** Events whose time was replaced by that of the batch. */
  readonly replacedTimes: number;
}

export type DropReason = "invalid" | "retention" | "unreadable" | "storage";

export interface PrepareOptions {
  readonly clock: Pick<Clock, "now">;
  readonly redactor: Redactor;
  readonly eventRetentionDays: number;
}

export const maxErrors = 10;
const family = ["parent_task_id", "root_task_id", "retried_from"] as const;
export type FamilyField = (typeof family)[number];

/** Prepares a batch before the transaction: read, identify, redact. */
export function createPreparer({ clock, redactor, eventRetentionDays }: PrepareOptions) {
  return function prepare(batch: IngestBatch): PreparedBatch {
    const batchMs = batchTimeOf(batch.frameTs, batch.sealedAt ?? null);
    const horizonMs = retentionHorizonMs(clock.now(), eventRetentionDays);
    // Canonical text contains U+0000 and lone surrogates only as escapes.
    const mayHoldNul = batch.text === undefined || batch.text.includes("\\u");
    // Only then does the parser keep the digits of a number.
    const mayHoldLexemes = batch.text === undefined || holdsLongNumber(batch.text);
    const lexemes = batch.text === undefined ? null : receivedData(batch.text);
    const prepared = {
      received: batch.events.length,
      events: [] as PreparedEvent[],
      errors: [] as string[],
      drops: new Map<DropReason, number>(),
      replacedTimes: 0,
    };

    function drop(index: number, kind: DropReason, reason: string): void {
      prepared.drops.set(kind, (prepared.drops.get(kind) ?? 0) + 1);
      say(index, reason);
    }

    function say(index: number, reason: string): void {
      if (prepared.errors.length < maxErrors) prepared.errors.push(`event ${index}: ${reason}`);
    }

    function prepareRecord(record: unknown, index: number): void {
      const read = readRecordHead(record);
      if (read.verdict === "ignored") return;
      if (read.verdict === "dropped") {
        drop(index, "invalid", read.reason);
        return;
      }
      const { head } = read;
      if (batchMs === null) {
        drop(index, "unreadable", "the frame has no readable time");
        return;
      }
      const { atMs, isReplaced } = eventTimeOf(head.occurredAt, batchMs);
      if (isReplaced) prepared.replacedTimes += 1;
      if (atMs < horizonMs) {
        drop(index, "retention", "occurred_at is older than the retention of events");
        return;
      }
      const id = head.id ?? derivedId(batch.projectId, head, atMs, lexemes?.(index) ?? canonicalText(head.data));
      prepared.events.push(eventOf(head, { index, id, at: atMs }));
    }

    function eventOf(head: RecordHead, { index, id, at }: { index: number; id: string; at: number }): PreparedEvent {
      const received = head.kind === "unknown" ? { ...head.data, kind_received: head.kindReceived } : head.data;
      // Replaces U+0000 and lone surrogates too.
      const redacted = redactor.redactEvent(received, head.kind);
      const data = withFailureText(head.kind, mayHoldLexemes ? withStorableNumbers(redacted) : redacted);
      const taskId = head.taskId.toWellFormed();
      const engine = head.engine.toWellFormed();
      const { projectId, agentId } = batch;
      const fields = carriedFields(head.kind, data, taskId);
      const withheld = mayHoldNul ? withholdFamily(fields, head.data) : null;
      const task = taskEventOf(
        { id, projectId, agentId, engine, taskId, kind: head.kind, at },
        fields,
        data,
        fingerprintOf,
      );
      const read = readScheduleReport({ id, projectId, engine, kind: head.kind, at }, data);
      if (read !== null && read.problem !== null) say(index, `stored without effect: ${read.problem}`);
      return {
        id,
        payload: JSON.stringify(data),
        task,
        retriedFrom: task.key === "" ? null : (fields.retried_from ?? null),
        ownWorker: workerOf(head.kind, data),
        depths: fields.depths ?? null,
        withheld,
        schedule: read?.report ?? null,
      };
    }

    for (const [index, record] of batch.events.entries()) {
      try {
        prepareRecord(record, index);
      } catch {
        // One bad record must not drop the others, and the error's own text could contain its content.
        drop(index, "unreadable", "the record cannot be read");
      }
    }
    return prepared;
  };
}

const failureKinds: ReadonlySet<string> = new Set(["task.failed", "task.retried", "task.rejected"]);

/** The data of an event; for a failure, `exception` has class and message of the error, wherever its agent reported them. */
function withFailureText(kind: string, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { exception = null } = data;
  if (!failureKinds.has(kind) || (exception !== null && typeof exception !== "string")) return data;
  const text = failureText({
    exception: exception ?? "",
    message: textOf(data.exception_message),
    traceback: textOf(data.traceback),
  });
  return text === "" || text === exception ? data : { ...data, exception: text };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** An id with U+0000 is not carried, although its stored form does not contain it. */
function withholdFamily(fields: CarriedFields, received: Readonly<Record<string, unknown>>): FamilyField[] | null {
  const withheld = family.filter((name) => {
    const value = received[name];
    return typeof value === "string" && value.includes("\u0000");
  });
  for (const name of withheld) delete fields[name];
  return withheld.length === 0 ? null : withheld;
}

/** Worker events name their worker as task events do. */
function workerOf(kind: string, data: Readonly<Record<string, unknown>>): string | null {
  const { worker } = data;
  if (!kind.startsWith("worker.") || typeof worker !== "string" || worker === "") return null;
  return fitsCharacters(worker, 200) ? worker : null;
}

const derivedId = (projectId: string, head: RecordHead, atMs: number, canonicalData: string): string =>
  eventIdOf({
    projectId,
    engine: head.engine,
    taskId: head.taskId,
    kind: head.kindReceived,
    occurredAt: atMs,
    canonicalData,
  });
