import { cadenceFingerprint } from "@svc/cadence";
import {
  type AdvanceCursorResponse,
  canonicalizeText,
  type FireScheduleResponse,
  type ScheduleMessage,
  timestampOrNull,
} from "@svc/protocol";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import type { AdvanceAnswer, FireAnswer } from "../../fires/index.ts";

/** A schedule as schedulers receive it. */
export const scheduleMessage = (row: ScheduleRow): ScheduleMessage => ({
  id: row.id,
  project_id: row.project_id,
  engine: row.engine,
  name: row.name,
  task_name: row.task_name,
  kind: row.kind,
  expression: row.expression,
  timezone: row.timezone,
  queue: row.queue ?? "",
  priority: row.priority,
  args_json: canonicalBytes(row.args),
  kwargs_json: canonicalBytes(row.kwargs),
  is_enabled: row.is_enabled,
  paused: row.paused_at !== null,
  quarantined: row.quarantined_at !== null,
  catch_up: row.catch_up,
  overlap_policy: row.overlap_policy,
  last_run_at: timestampOrNull(row.last_run_at),
  next_run_at: timestampOrNull(row.next_run_at),
  total_runs: row.total_runs,
  revision: row.schedule_revision,
  control_token: row.control_token,
  definition_digest: row.definition_digest,
  cadence_fingerprint: cadenceFingerprint,
});

/** Ids, tokens, instants and short names of a schedule. */
const fixedBytes = 600;
const bytesPerCharacter = 3;

/** The most bytes that a schedule has in a message. */
export function maxBytesOf({ args_json, kwargs_json, name, task_name, expression, queue }: ScheduleMessage): number {
  const characters = name.length + task_name.length + expression.length + queue.length;
  return args_json.length + kwargs_json.length + characters * bytesPerCharacter + fixedBytes;
}

export const fireResponse = (answer: FireAnswer): FireScheduleResponse => ({
  disposition: answer.disposition,
  command_id: answer.commandId ?? "",
  buffered: answer.isBuffered,
  last_run_at: timestampOrNull(answer.lastRunAt),
  next_run_at: timestampOrNull(answer.nextRunAt),
  total_runs: answer.totalRuns,
  live: answer.live === null ? null : scheduleMessage(answer.live),
  error_code: answer.errorCode ?? "",
  error_message: answer.errorMessage ?? "",
});

export const advanceResponse = (answer: AdvanceAnswer): AdvanceCursorResponse => ({
  disposition: answer.disposition,
  next_run_at: timestampOrNull(answer.nextRunAt),
  live: answer.live === null ? null : scheduleMessage(answer.live),
});

/** The server database orders and formats JSON in its own way. */
const canonicalBytes = (json: string): Uint8Array => Buffer.from(canonicalizeText(json));
