import { usableId } from "../ids.ts";
import { isJsonObject } from "../json/raw.ts";
import { fitsCharacters, holdsControlCharacter, withoutNul } from "../json/unicode.ts";
import { type EventKind, isEventKind } from "../vocabulary.ts";

/** One event as an agent puts it into an event_batch. */
export interface EventRecord {
  /** A UUID of version 4, 5 or 7. Without one the brain derives the id from the content. */
  id?: string;
  kind: string;
  /** 1 to 40 characters. */
  engine: string;
  /** At most 200 characters. Empty when the event concerns no task. */
  task_id: string;
  /** ISO 8601. UTC without a zone. Defaults to the batch time. */
  occurred_at?: string;
  data: Record<string, unknown>;
}

/** The identifying part of an event record, read before its data. */
export interface RecordHead {
  /** In lower case. Null when the brain must derive one. */
  readonly id: string | null;
  readonly kind: EventKind;
  /** The kind as sent. Differs from `kind` only when that is `unknown`, and is then stored as `kind_received`. */
  readonly kindReceived: string;
  readonly engine: string;
  /** Empty when the event concerns no task. */
  readonly taskId: string;
  /** As received. Read it with `eventTimeOf`. */
  readonly occurredAt: unknown;
  /** As received, or an empty object when it was not an object. */
  readonly data: Record<string, unknown>;
}

export type ReadHead =
  | { readonly verdict: "ok"; readonly head: RecordHead }
  /** Not an object, or without engine or kind: counts neither as inserted nor as failed. */
  | { readonly verdict: "ignored" }
  /** Listed in the errors of the acknowledgement. The reason contains no content of the record. */
  | { readonly verdict: "dropped"; readonly reason: string };

export const engineCharacters = 40;
export const taskIdCharacters = 200;

const ignored: ReadHead = { verdict: "ignored" };

/** Validates one entry of an event_batch. */
export function readRecordHead(record: unknown): ReadHead {
  if (!isJsonObject(record)) return ignored;
  const { id, kind, engine, task_id: taskId = "", occurred_at: occurredAt, data } = record;
  if (typeof engine !== "string" || engine === "" || typeof kind !== "string" || kind === "") return ignored;
  if (!fitsCharacters(engine, engineCharacters)) return dropped("engine is longer than 40 characters");
  if (holdsControlCharacter(engine)) return dropped("engine contains a control character");
  const task = taskId ?? "";
  if (typeof task !== "string") return dropped("task_id is not a string");
  if (!fitsCharacters(task, taskIdCharacters)) return dropped("task_id is longer than 200 characters");
  if (holdsControlCharacter(task)) return dropped("task_id contains a control character");
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
