import { isJsonObject, isRawJson, isUuid, type Redactor } from "@svc/protocol";

/** Applies the value rules of redaction to names of tasks, queues and workers when they are shown. The stored names stay as they are. */
export interface Masking {
  /** An answer with every name masked. Unchanged parts are shared with the input. */
  answer(value: unknown): unknown;
  /** The name of a task or queue, or the id of a task. */
  name(text: string): string;
  /** The name of a worker, which may have the form of an email address. */
  worker(text: string): string;
}

/** Members without names of tasks, queues or workers: redacted before storage, or typed by operators. */
const otherMembers: ReadonlySet<string> = new Set([
  ...["args", "kwargs", "exception", "traceback", "override_args", "override_kwargs", "exception_message"],
  ...["user_agent", "token", "hmac_secret", "link"],
]);
/** Names and addresses of people, which are meant to be shown. */
const ofPeople = /email|display_name/;
const workerMembers: ReadonlySet<string> = new Set(["worker", "worker_name", "workers", "hostname", "worker_id"]);
/** The members of a saved view. Only its author reads it, and clients write back what they read. */
const savedViewMembers: ReadonlySet<string> = new Set(["id", "name", "filters", "created_at", "updated_at"]);
/** Values that the service generates. An operator's extra patterns could match them. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const fingerprint = /^[0-9a-f]{32}$/;
const slug = /^[a-z0-9-]{1,100}$/;
const state = /^[a-z_]{1,40}$/;
/** Task ids of engines may have any form, including that of a UUID. */
const ofTask = /(?:^|_)task_id$/;
const targetsByName: ReadonlySet<unknown> = new Set(["task", "queue", "worker"]);
/** Maximum size of the cache of keys that need no masking. */
const maxKnownKeys = 4_096;
/** Answers contain agent reports of any depth. */
const maxDepth = 80;

export function createMasking(redactor: Pick<Redactor, "mask">): Masking {
  const name = (text: string): string => redactor.mask(text);
  const worker = (text: string): string => redactor.mask(text, { keepsEmail: true });

  // Nearly all keys come from a few object shapes.
  const knownKeys = new Set<string>();
  function keyShown(key: string, ofWorker: boolean): string {
    if (knownKeys.has(key)) return key;
    const masked = ofWorker ? worker(key) : name(key);
    if (masked === key && !ofWorker) {
      if (knownKeys.size >= maxKnownKeys) knownKeys.clear();
      knownKeys.add(key);
    }
    return masked;
  }

  function walkArray(items: readonly unknown[], ofWorker: boolean, depth: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const shown = walk(items[index], ofWorker, depth + 1);
      if (shown === items[index]) continue;
      copy ??= [...items];
      copy[index] = shown;
    }
    return copy ?? items;
  }

  function walkObject(object: Readonly<Record<string, unknown>>, ofWorker: boolean, depth: number): unknown {
    if (isSavedView(object) || isSchedule(object)) return object;
    const isTask = "kwargs" in object;
    let changed: [string, unknown][] | undefined;
    const keys = Object.keys(object);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string;
      const before = object[key];
      const isLeft =
        otherMembers.has(key) || (isTask && key === "result") || ofPeople.test(key) || isOwn(object, key, before);
      const shown = isLeft ? before : memberShown(object, key, ofWorker, depth);
      // A key may be a name, as in results by task id.
      const shownKey = keyShown(key, ofWorker);
      if (changed === undefined && (shown !== before || shownKey !== key)) {
        changed = keys.slice(0, index).map((earlier) => [earlier, object[earlier]]);
      }
      changed?.push([shownKey, shown]);
    }
    return changed === undefined ? object : Object.fromEntries(withOwnKeys(changed));
  }

  function memberShown(
    object: Readonly<Record<string, unknown>>,
    key: string,
    ofWorker: boolean,
    depth: number,
  ): unknown {
    const value = object[key];
    const beginning = key === "message" ? workerNamedFirst(value, object.evidence) : "";
    if (beginning !== "") return worker(beginning) + name((value as string).slice(beginning.length));
    return walk(value, ofWorker || isAboutWorker(object, key), depth + 1);
  }

  function walk(value: unknown, ofWorker: boolean, depth: number): unknown {
    if (typeof value === "string") return ofWorker ? worker(value) : name(value);
    if (typeof value !== "object" || value === null || isRawJson(value) || depth > maxDepth) return value;
    if (Array.isArray(value)) return walkArray(value, ofWorker, depth);
    const prototype = Object.getPrototypeOf(value) as unknown;
    if (prototype !== Object.prototype && prototype !== null) return value;
    return walkObject(value as Record<string, unknown>, ofWorker, depth);
  }

  return { answer: (value) => walk(value, false, 0), name, worker };
}

/** The start of a message that names the worker of its evidence; the rest may contain other names. Empty for other messages. */
function workerNamedFirst(message: unknown, evidence: unknown): string {
  if (typeof message !== "string" || !isJsonObject(evidence) || typeof evidence.worker !== "string") return "";
  const beginning = `Worker ${evidence.worker}`;
  return message.startsWith(beginning) ? beginning : "";
}

/** Whether a member names a worker, judged by its key or by its siblings. */
function isAboutWorker(object: Readonly<Record<string, unknown>>, key: string): boolean {
  if (workerMembers.has(key)) return true;
  // A running task in a worker report also has a name next to the host.
  if (key === "name") return "hostname" in object && "last_heartbeat" in object;
  if (key === "target_id") return object.target_type === "worker";
  return (key === "value" || key === "values") && object.field === "worker";
}

/** Whether the service generated the value. The form is checked too, because a key may be a name. */
function isOwn(object: Readonly<Record<string, unknown>>, key: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (key === "fingerprint") return fingerprint.test(value);
  if (key === "slug" || key.endsWith("_slug")) return slug.test(value);
  if (key === "state") return state.test(value);
  if (key.endsWith("cursor")) return true;
  if (key === "target_id" && targetsByName.has(object.target_type)) return false;
  if (key === "id" || key.endsWith("_id")) return !ofTask.test(key) && isUuid(value);
  return instant.test(value);
}

const isSavedView = (object: Readonly<Record<string, unknown>>): boolean =>
  "filters" in object &&
  Object.keys(object).length === savedViewMembers.size &&
  Object.keys(object).every((key) => savedViewMembers.has(key));

/** Definitions are written by operators, and clients write back what they read. */
const isSchedule = (object: Readonly<Record<string, unknown>>): boolean =>
  "expression" in object && "timezone" in object && "kwargs" in object;

/** Keeps two members apart whose names are equal after masking. */
function withOwnKeys(members: readonly [string, unknown][]): [string, unknown][] {
  const seen = new Map<string, number>();
  return members.map(([key, value]) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return [count === 1 ? key : `${key} (${count})`, value];
  });
}
