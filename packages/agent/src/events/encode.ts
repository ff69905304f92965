import {
  CanonicalError,
  canonicalizeText,
  canonicalText,
  type EventRecord,
  type Redactor,
  readInstant,
} from "@svc/protocol";

export interface EncodeOptions {
  readonly redactor: Redactor;
  /** Added to task events without a release. */
  readonly release: string | undefined;
}

const aheadLimitMs = 60_000;

/** Whether a value has the required fields of an event record. */
export function isEventRecord(value: unknown): value is EventRecord {
  if (typeof value !== "object" || value === null) return false;
  const { kind, engine, task_id, data } = value as Partial<Record<keyof EventRecord, unknown>>;
  if (typeof kind !== "string" || kind === "" || typeof engine !== "string" || engine === "") return false;
  return typeof task_id === "string" && typeof data === "object" && data !== null && !Array.isArray(data);
}

/**
 * Canonical text of a redacted event. A time that is missing, invalid or more than 60 s ahead of this machine's clock becomes `nowMs`. Lone
 * surrogates, which a frame cannot contain, become U+FFFD.
 *
 * @throws CanonicalError when the event has no JSON form.
 */
export function encodeEvent(event: EventRecord, nowMs: number, { redactor, release }: EncodeOptions): string {
  let data = redactor.redactEvent(event.data, event.kind);
  if (release !== undefined && event.kind.startsWith("task.") && data.release == null) data = { ...data, release };
  const occurredMs = readInstant(event.occurred_at, { zone: "utc" });
  const isUsable = occurredMs !== null && occurredMs <= nowMs + aheadLimitMs;
  const record = {
    ...(event.id === undefined ? {} : { id: event.id }),
    kind: event.kind,
    engine: event.engine,
    task_id: event.task_id,
    occurred_at: isUsable ? event.occurred_at : new Date(nowMs).toISOString(),
    data,
  };
  try {
    return canonicalText(record);
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return canonicalizeText(JSON.stringify(record, wellFormed));
  }
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (Object.keys(value).every((key) => key.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), member]));
}
