import { type Cadence, CadenceError, requireSlot } from "@svc/cadence";
import { canonicalText, definitionDigest, parseJson, randomToken, storableText } from "@svc/protocol";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { invalid } from "../../../platform/http/error-codes.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { maxArgumentBytes, type ScheduleChanges, type ScheduleCreate } from "../schemas.ts";
import { cadenceOf, ownScheduler, slotAfter } from "../slots.ts";

/** The columns that a body sets. */
export type DefinedColumns = Pick<
  ScheduleRow,
  | "name"
  | "engine"
  | "kind"
  | "expression"
  | "task_name"
  | "timezone"
  | "queue"
  | "priority"
  | "args"
  | "kwargs"
  | "catch_up"
  | "overlap_policy"
  | "is_enabled"
  | "source_hash"
  | "late_start_seconds"
  | "long_run_seconds"
>;

/** Columns that a body may leave out. */
export const defaultColumns: Omit<DefinedColumns, "name" | "engine" | "kind" | "expression" | "task_name"> = {
  timezone: "UTC",
  queue: null,
  priority: "normal",
  args: "[]",
  kwargs: "{}",
  catch_up: "fire_one_missed",
  overlap_policy: "allow",
  is_enabled: true,
  source_hash: null,
  late_start_seconds: null,
  long_run_seconds: null,
};

const reservedPrefix = "__svc_";

/**
 * The columns that a body sets; absent members are absent.
 *
 * @throws ApiError `validation_error` for arguments that are too large and for reserved names.
 */
export function columnsOf(body: ScheduleChanges): Partial<DefinedColumns> {
  const { name, engine, kind, task_name, timezone, queue, args, kwargs, source_hash, ...plain } = body;
  return {
    ...plain,
    ...(name !== undefined && { name: storableText(name) }),
    ...(engine !== undefined && { engine: storableText(engine) }),
    // Other values are refused with the reason of the cadence.
    ...(kind !== undefined && { kind: typeof kind === "string" ? kind : "" }),
    ...(task_name !== undefined && { task_name: storableText(task_name) }),
    ...(timezone !== undefined && { timezone: timezone === "" ? "UTC" : timezone }),
    // The contract with schedulers has no other form for "no queue" than the empty text.
    ...(queue !== undefined && { queue: queue === null || queue === "" ? null : storableText(queue) }),
    ...(args !== undefined && { args: argumentText("args", args) }),
    ...(kwargs !== undefined && { kwargs: kwargsText(kwargs) }),
    ...(source_hash !== undefined && { source_hash: source_hash === null ? null : storableText(source_hash) }),
  };
}

function argumentText(name: "args" | "kwargs", value: unknown): string {
  const text = storedJson(value);
  if (Buffer.byteLength(text) <= maxArgumentBytes) return text;
  throw refused(name, "too_long", "must be 64 KiB or less as JSON");
}

function kwargsText(kwargs: Record<string, unknown>): string {
  const reserved = Object.keys(kwargs).find((key) => key.startsWith(reservedPrefix));
  if (reserved === undefined) return argumentText("kwargs", kwargs);
  throw refused("kwargs", "reserved", `has a key that begins with the reserved prefix ${reservedPrefix}`);
}

const refused = (field: string, reason: string, message: string, place = "body") =>
  invalid({ loc: [place, field], type: reason, message }, { reason, field });

type Checked = Pick<ScheduleRow, "kind" | "expression" | "timezone" | "is_enabled">;

/**
 * The cadence of a definition, checked: a slot follows, for a date and time only while the schedule is enabled.
 *
 * @param place of the definition in the request.
 * @throws ApiError `validation_error` with details.reason and details.field.
 */
export function cadenceOrRefusal(row: Checked, now: Date, place: "body" | "query"): Cadence {
  try {
    const cadence = cadenceOf(row);
    if (row.is_enabled || cadence.kind !== "clocked") requireSlot(cadence, now.getTime());
    return cadence;
  } catch (error) {
    if (!(error instanceof CadenceError)) throw error;
    throw refused(error.field, error.reason, error.message, place);
  }
}

/** @throws ApiError `validation_error`, see `cadenceOrRefusal`. */
export const requireCadence = (row: Checked, now: Date): void => void cadenceOrRefusal(row, now, "body");

export const digestOf = (row: DefinedColumns): string =>
  definitionDigest({ ...row, args: parseJson(row.args), kwargs: parseJson(row.kwargs) });

/**
 * The row of a new schedule of the own scheduler; its revision is the caller's to set.
 *
 * @throws ApiError `validation_error`, see `columnsOf` and `requireCadence`.
 */
export function newRow(
  { scheduler: _scheduler, source = "dashboard", ...body }: ScheduleCreate,
  { id, projectId, now }: { readonly id: string; readonly projectId: string; readonly now: Date },
): ScheduleRow {
  const columns = { ...defaultColumns, ...columnsOf(body) } as DefinedColumns;
  requireCadence(columns, now);
  const row: ScheduleRow = {
    id,
    project_id: projectId,
    scheduler: ownScheduler,
    ...columns,
    source: storableText(source),
    paused_at: null,
    quarantine_code: null,
    quarantine_detail: null,
    quarantined_at: null,
    external_id: null,
    definition_digest: digestOf(columns),
    control_token: randomToken(),
    schedule_revision: 0,
    last_run_at: null,
    next_run_at: null,
    total_runs: 0,
    position_epoch: null,
    position_sequence: null,
    position_event_id: null,
    created_at: now,
    updated_at: now,
  };
  return { ...row, next_run_at: slotAfter(row, now) };
}

const jsonColumns: ReadonlySet<string> = new Set(["args", "kwargs"]);

/** The columns among `wanted` whose value differs from the row's. */
export function differing(row: ScheduleRow, wanted: Partial<DefinedColumns>): Partial<DefinedColumns> {
  const entries = Object.entries(wanted).filter(([column, value]) => {
    const present = row[column as keyof DefinedColumns];
    // The server database formats and orders JSON in its own way.
    return jsonColumns.has(column) ? canonicalOf(present) !== canonicalOf(value) : present !== value;
  });
  return Object.fromEntries(entries) as Partial<DefinedColumns>;
}

const canonicalOf = (json: unknown): string => canonicalText(parseJson(json as string));
