import { asNumber, isJsonObject } from "../json/raw.ts";
import { cutCharacters, fitsCharacters } from "../json/unicode.ts";
import { isTaskKind, type Priority, priorities } from "../vocabulary.ts";
import { readInstant } from "./instants.ts";

/**
 * The keys of an event's data that the brain reads. A field is *carried* when it is present with a valid, non-null value. An invalid
 * value counts as absent and never drops the record.
 */
export interface CarriedFields {
  task_name?: string;
  queue?: string;
  worker?: string;
  attempt?: number;
  priority?: Priority;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  /** Epoch milliseconds. */
  eta?: number;
  parent_task_id?: string;
  root_task_id?: string;
  retried_from?: string;
  tags?: string[];
  release?: string;
  traceparent?: string;
  /** Any JSON except null. */
  result?: unknown;
  runtime_ms?: number;
  wait_ms?: number;
  max_attempts?: number;
  exception?: string;
  traceback?: string;
  retry_count?: number;
  depths?: Record<string, number>;
  reason?: string;
}

const largestCount = 1_000_000;
const largestDepth = 2_147_483_647;
const longestText = 8_192;
const tagCount = 32;
const depthCount = 1_024;
const prioritySet: ReadonlySet<unknown> = new Set(priorities);
const traceparentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Reads the data of one event. Without a carried `attempt` the caller uses 0.
 *
 * @param kind the stored kind. An event of kind `unknown` carries only the fields that every kind may have.
 * @param taskId the record's task: a task is never its own parent, root or origin.
 */
export function carriedFields(kind: string, data: Readonly<Record<string, unknown>>, taskId: string): CarriedFields {
  const fields: CarriedFields = {};
  const isTask = isTaskKind(kind);
  // Iterates over the present keys, because most events carry only a few of the fields.
  for (const key of Object.keys(data)) {
    const value = data[key];
    if (value === null || value === undefined) continue;
    if (isTask) readTaskMember(fields, kind, key, value, taskId);
    else readOtherMember(fields, kind, key, value);
  }
  return fields;
}

function readTaskMember(fields: CarriedFields, kind: string, key: string, value: unknown, taskId: string): void {
  switch (key) {
    case "task_name":
      if (isText(value, 500)) fields.task_name = value;
      break;
    case "queue":
      if (isText(value, 200)) fields.queue = value;
      break;
    case "worker":
      if (kind !== "task.sent" && isText(value, 200)) fields.worker = value;
      break;
    case "attempt":
    case "retry_count":
      setInt(fields, key, value, 0);
      break;
    case "max_attempts":
      setInt(fields, key, value, 1);
      break;
    case "priority":
      if (prioritySet.has(value)) fields.priority = value as Priority;
      break;
    case "args":
      if (Array.isArray(value)) fields.args = value;
      break;
    case "kwargs":
      if (isJsonObject(value)) fields.kwargs = value;
      break;
    case "eta": {
      const eta = readInstant(value, { zone: "utc" });
      if (eta !== null) fields.eta = eta;
      break;
    }
    case "parent_task_id":
    case "root_task_id":
    case "retried_from":
      if (isText(value, 200) && value !== "" && value !== taskId && !value.includes("\u0000")) fields[key] = value;
      break;
    case "tags":
      if (Array.isArray(value) && value.length <= tagCount && value.every((tag) => isText(tag, 64)))
        fields.tags = value;
      break;
    case "release":
      if (isText(value, 64)) fields.release = value;
      break;
    case "traceparent":
      if (typeof value === "string" && traceparentForm.test(value)) fields.traceparent = value;
      break;
    default:
      readOutcomeMember(fields, kind, key, value);
  }
}

function readOutcomeMember(fields: CarriedFields, kind: string, key: string, value: unknown): void {
  switch (key) {
    case "result":
      if (kind === "task.succeeded") fields.result = value;
      break;
    case "runtime_ms":
      if (kind === "task.succeeded" || kind === "task.failed") setMs(fields, key, value);
      break;
    case "wait_ms":
      if (kind === "task.started") setMs(fields, key, value);
      break;
    case "exception":
      if (kind === "task.failed" || kind === "task.retried" || kind === "task.rejected") setCut(fields, key, value);
      break;
    case "traceback":
      if (kind === "task.failed" || kind === "task.retried") setCut(fields, key, value);
      break;
  }
}

function readOtherMember(fields: CarriedFields, kind: string, key: string, value: unknown): void {
  if (key === "queue") {
    if (isText(value, 200)) fields.queue = value;
  } else if (key === "worker") {
    // Worker events name their worker in the same key as task events.
    if (kind.startsWith("worker.") && isText(value, 200)) fields.worker = value;
  } else if (key === "reason") {
    if ((kind === "worker.offline" || kind.startsWith("schedule.")) && isText(value, 200)) fields.reason = value;
  } else if (key === "depths" && kind === "queue.depth_report" && isJsonObject(value)) {
    fields.depths = Object.fromEntries(
      Object.entries(value)
        .map(([queue, depth]) => [queue, asNumber(depth)] as const)
        .filter((entry): entry is [string, number] => isText(entry[0], 200) && isIntIn(entry[1], 0, largestDepth))
        .slice(0, depthCount),
    );
  }
}

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && fitsCharacters(value, max);
}

function isIntIn(value: number | undefined, min: number, max: number): boolean {
  return value !== undefined && Number.isInteger(value) && value >= min && value <= max;
}

function setInt(fields: CarriedFields, key: "attempt" | "retry_count" | "max_attempts", value: unknown, min: number) {
  const number = asNumber(value);
  // Adding 0 turns -0 into 0, which would otherwise sort and print differently.
  if (isIntIn(number, min, largestCount)) fields[key] = (number as number) + 0;
}

function setMs(fields: CarriedFields, key: "runtime_ms" | "wait_ms", value: unknown): void {
  const number = asNumber(value);
  if (number === undefined || !(number >= 0)) return;
  const rounded = Math.round(number) + 0;
  if (Number.isSafeInteger(rounded)) fields[key] = rounded;
}

function setCut(fields: CarriedFields, key: "exception" | "traceback", value: unknown): void {
  if (typeof value === "string") fields[key] = cutCharacters(value, longestText);
}
