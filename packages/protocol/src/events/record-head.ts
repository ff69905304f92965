import { usableId } from "../ids.ts";
import { isJsonObject } from "../json/raw.ts";
import { fitsCharacters, holdsControlCharacter, withoutNul } from "../json/unicode.ts";
import { type EventKind, isEventKind } from "../vocabulary.ts";

/** One lifecycle event as an agent puts it into an event_batch (2.2). */
export interface EventRecord {
  /** A UUID of version 4, 5 or 7; without one the brain derives the id from the content. */
  id?: string;
  kind: string;
  /** 1 to 40 characters. */
  engine: string;
  /** At most 200 characters; empty when the event concerns no task. */
  task_id: string;
  /** ISO 8601; without a zone it is UTC. Absent: the time of the batch. */
  occurred_at?: string;
  data: Record<string, unknown>;
}

/** The part of an event record that says what it is about (2.2), read before its data is looked at. */
export interface RecordHead {
  /** In lower case; null when the brain must derive one. */
  readonly id: string | null;
  readonly kind: EventKind;
  /** What the sender wrote; differs from `kind` only when that is `unknown`, and is then stored as `kind_received`. */
  readonly kindReceived: string;
  readonly engine: string;
  /** Empty when the event concerns no task. */
  readonly taskId: string;
  /** As received; read it with `eventTimeOf`. */
  readonly occurredAt: unknown;
  /** As received; an empty object when it was none. */
  readonly data: Record<string, unknown>;
}

export type ReadHead =
  | { readonly verdict: "ok"; readonly head: RecordHead }
  /** Not an object, or without engine or kind: neither inserted nor failed. */
  | { readonly verdict: "ignored" }
  /** Named in the errors of the answer; the reason holds no content of the record. */
  | { readonly verdict: "dropped"; readonly reason: string };

export const engineCharacters = 40;
export const taskIdCharacters = 200;

const ignored: ReadHead = { verdict: "ignored" };

/** Judges one entry of an event_batch. */
export function readRecordHead(record: unknown): ReadHead {
  if (!isJsonObject(record)) return ignored;
  const { id, kind, engine, task_id: taskId = "", occurred_at: occurredAt, data } = record;
  if (typeof engine !== "string" || engine === "" || typeof kind !== "string" || kind === "") return ignored;
  if (!fitsCharacters(engine, engineCharacters)) return dropped("engine is longer than 40 characters");
  if (holdsControlCharacter(engine)) return dropped("engine holds a control character");
  const task = taskId ?? "";
  if (typeof task !== "string") return dropped("task_id is not a string");
  if (!fitsCharacters(task, taskIdCharacters)) return dropped("task_id is longer than 200 characters");
  if (holdsControlCharacter(task)) return dropped("task_id holds a control character");
  return {
    verdict: "ok",
    head: {
      id: usableId(id),
      kind: isEventKind(kind) ? kind : "unknown",
      kindReceived: withoutNul(kind),
      engine,
      taskId: task,
      occurredAt,
      data: isJsonObject(data) ? data : {},
    },
  };
}

function dropped(reason: string): ReadHead {
  return { verdict: "dropped", reason };
}
