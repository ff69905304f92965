import {
  definitionDigest,
  fitsCharacters,
  holdsControlCharacter,
  isJsonObject,
  priorities,
  readInstant,
} from "@svc/protocol";
import type { Position } from "./position.ts";

/** A schedule as the scheduler of an engine reports it. Instants are milliseconds since the Unix epoch. */
export interface NativeSchedule {
  readonly name: string;
  readonly engine: string;
  readonly task_name: string;
  readonly kind: string;
  readonly expression: string;
  readonly timezone: string;
  readonly queue: string | null;
  readonly priority: string;
  /** JSON array. */
  readonly args: string;
  /** JSON object. */
  readonly kwargs: string;
  readonly catch_up: string;
  readonly overlap_policy: string;
  readonly is_enabled: boolean;
  readonly external_id: string | null;
  readonly source: string;
  readonly source_hash: string | null;
  readonly definition_digest: string;
  readonly last_run_at: number | null;
  readonly next_run_at: number | null;
  readonly total_runs: number;
}

export type ScheduleChange =
  | { readonly kind: "upsert"; readonly schedule: NativeSchedule }
  | { readonly kind: "delete"; readonly name: string }
  | {
      readonly kind: "part";
      readonly snapshotId: string;
      /** 1 to `parts`. */
      readonly part: number;
      readonly parts: number;
      readonly schedules: readonly NativeSchedule[];
    }
  /** Changes no schedule. */
  | { readonly kind: "none" };

/** One schedule.* event. */
export interface ScheduleReport {
  readonly projectId: string;
  /** Name of the scheduler. */
  readonly owner: string;
  readonly position: Position;
  /** Whether the event carries its position in a stream. */
  readonly isSequenced: boolean;
  readonly change: ScheduleChange;
}

/** The head of a schedule.* event. */
export interface ScheduleEventHead {
  readonly id: string;
  readonly projectId: string;
  readonly engine: string;
  readonly kind: string;
  /** occurred_at in milliseconds. */
  readonly at: number;
}

/** Limits of a snapshot: 50,000 schedules. */
export const maxSchedulesPerPart = 500;
export const maxParts = 100;

/** Owner of the schedules of this service, which no adapter may report. */
const ownScheduler = "svc-scheduler";
const maxOwnerCharacters = 64;
const maxArgumentBytes = 65_536;
const kinds: ReadonlySet<unknown> = new Set(["cron", "interval", "clocked", "solar"]);
const catchUpPolicies: ReadonlySet<unknown> = new Set(["skip", "fire_one_missed", "fire_all_missed"]);
const overlapPolicies: ReadonlySet<unknown> = new Set(["allow", "skip"]);
const nothing: ScheduleChange = { kind: "none" };

type Data = Readonly<Record<string, unknown>>;

export const isScheduleKind = (kind: string): boolean => kind.startsWith("schedule.");

/**
 * Reads the redacted data of an event. Null when it is no schedule.* event or names the scheduler of this service as the owner. A change that
 * cannot be read changes nothing, and `problem` says why.
 */
export function readScheduleReport(
  { id, projectId, engine, kind, at }: ScheduleEventHead,
  data: Data,
): { readonly report: ScheduleReport; readonly problem: string | null } | null {
  if (!isScheduleKind(kind)) return null;
  const owner = nameOf(data.scheduler, maxOwnerCharacters) ?? engine;
  if (owner === ownScheduler) return null;
  const stream = streamOf(data.stream);
  const { change, problem } = changeOf(kind, data, engine);
  const position = { ...(stream ?? { epoch: 0, sequence: at }), eventId: id };
  const isUsable = stream === null || (stream.epoch > 0 && stream.sequence > 0);
  return {
    report: { projectId, owner, position, isSequenced: stream !== null, change: isUsable ? change : nothing },
    problem: isUsable ? problem : "epoch and sequence of the stream must be positive",
  };
}

/** Any two safe integers count: an agent removes the events without them when the service refuses a batch, and no others. */
function streamOf(stream: unknown): Pick<Position, "epoch" | "sequence"> | null {
  if (!isJsonObject(stream)) return null;
  const { epoch, sequence } = stream;
  return Number.isSafeInteger(epoch) && Number.isSafeInteger(sequence)
    ? { epoch: epoch as number, sequence: sequence as number }
    : null;
}

interface ReadChange {
  readonly change: ScheduleChange;
  readonly problem: string | null;
}

const unread = (problem: string): ReadChange => ({ change: nothing, problem });

function changeOf(kind: string, data: Data, engine: string): ReadChange {
  switch (kind) {
    case "schedule.created":
    case "schedule.updated": {
      const read = readSchedule(data.schedule, engine);
      return typeof read === "string" ? unread(read) : { change: { kind: "upsert", schedule: read }, problem: null };
    }
    case "schedule.deleted": {
      const name = nameOf(data.name, 200);
      return name === null
        ? unread("the name is missing or invalid")
        : { change: { kind: "delete", name }, problem: null };
    }
    case "schedule.snapshot":
      return readPart(data, engine);
    default:
      return { change: nothing, problem: null };
  }
}

function readPart({ snapshot_id, part, parts, schedules }: Data, engine: string): ReadChange {
  const snapshotId = nameOf(snapshot_id, 64);
  if (snapshotId === null) return unread("the snapshot_id is missing or invalid");
  if (!isIntWithin(parts, 1, maxParts)) return unread(`parts must be 1 to ${maxParts}`);
  if (!isIntWithin(part, 1, parts)) return unread("part must be 1 to parts");
  if (!Array.isArray(schedules) || schedules.length > maxSchedulesPerPart) {
    return unread(`schedules must be an array of at most ${maxSchedulesPerPart}`);
  }
  const read = schedules.map((schedule) => readSchedule(schedule, engine));
  const problems = read.filter((schedule) => typeof schedule === "string");
  return {
    change: {
      kind: "part",
      snapshotId,
      part,
      parts,
      schedules: read.filter((schedule) => typeof schedule !== "string"),
    },
    problem: problems.length === 0 ? null : `${problems.length} schedules are left out; the first: ${problems[0]}`,
  };
}

/** The schedule, or why it cannot be read. An invalid value of a member that has a default counts as absent. */
function readSchedule(value: unknown, eventEngine: string): NativeSchedule | string {
  if (!isJsonObject(value)) return "the schedule is missing";
  const name = nameOf(value.name, 200);
  const taskName = nameOf(value.task_name, 500);
  const expression = nameOf(value.expression, 1024);
  const { kind } = value;
  if (name === null) return "the name of the schedule is missing or invalid";
  if (taskName === null) return "the task_name of the schedule is missing or invalid";
  if (expression === null) return "the expression of the schedule is missing or invalid";
  if (!kinds.has(kind)) return "the kind of the schedule must be cron, interval, clocked or solar";
  const args = Array.isArray(value.args) ? value.args : [];
  const kwargs = isJsonObject(value.kwargs) ? value.kwargs : {};
  const [argsText, kwargsText] = [JSON.stringify(args), JSON.stringify(kwargs)];
  const isTooLong = [argsText, kwargsText].some((text) => Buffer.byteLength(text) > maxArgumentBytes);
  if (isTooLong) return "args and kwargs of the schedule must be at most 64 KiB each";
  const definition = {
    engine: nameOf(value.engine, 40) ?? eventEngine,
    task_name: taskName,
    kind: kind as string,
    expression,
    timezone: nameOf(value.timezone, 64) ?? "UTC",
    queue: nameOf(value.queue, 200),
    priority: (priorities as readonly unknown[]).includes(value.priority) ? (value.priority as string) : "normal",
    catch_up: catchUpPolicies.has(value.catch_up) ? (value.catch_up as string) : "fire_one_missed",
    overlap_policy: overlapPolicies.has(value.overlap_policy) ? (value.overlap_policy as string) : "allow",
  };
  return {
    name,
    ...definition,
    args: argsText,
    kwargs: kwargsText,
    is_enabled: value.is_enabled !== false,
    external_id: nameOf(value.external_id, 500),
    source: nameOf(value.source, 200) ?? "native",
    source_hash: nameOf(value.source_hash, 128),
    definition_digest: definitionDigest({ ...definition, args, kwargs }),
    last_run_at: readInstant(value.last_run_at, { zone: "utc" }),
    next_run_at: readInstant(value.next_run_at, { zone: "utc" }),
    total_runs: isIntWithin(value.total_runs, 0, Number.MAX_SAFE_INTEGER) ? value.total_runs : 0,
  };
}

function nameOf(value: unknown, max: number): string | null {
  if (typeof value !== "string" || value === "" || !fitsCharacters(value, max)) return null;
  return holdsControlCharacter(value) ? null : value;
}

const isIntWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
