import {
  type AcknowledgeRequest as AcknowledgeMessage,
  type AdvanceCursorRequest,
  type FireScheduleRequest,
  isUuid,
  type QuarantineRequest,
  readTimestamp,
  type Timestamp,
} from "@svc/protocol";
import type { AcknowledgeRequest, AdvanceRequest, FireRequest } from "../../fires/index.ts";
import { CallRefusal } from "../access/refusal.ts";

const maxTokenLength = 200;
const maxSkipped = 10_000;
const maxReasonLength = 64;
const maxDetailLength = 1024;
const maxErrorLength = 4096;
const maxTaskIdLength = 512;
export const maxProjectIds = 1000;

/** A schedule that a scheduler cannot fire. */
export interface QuarantineCall {
  readonly scheduleId: string;
  readonly controlToken: string;
  readonly reasonCode: string;
  readonly detail: string;
}

/** @throws CallRefusal `invalid` for values that no schedule or slot has. */
export function readFireRequest(given: FireScheduleRequest): FireRequest {
  return {
    ...readControl(given),
    fireId: readId("fire_id", given.fire_id),
    scheduledFor: requireInstant("scheduled_for", given.scheduled_for),
    isMissed: given.missed,
  };
}

/** @throws CallRefusal `invalid`, also for more than 10,000 skipped slots. */
export function readAdvanceRequest(given: AdvanceCursorRequest): AdvanceRequest {
  if (given.skipped_count > maxSkipped) throw invalid("skipped_count", `must be at most ${maxSkipped}`);
  return {
    ...readControl(given),
    skippedThrough: requireInstant("skipped_through", given.skipped_through),
    skippedCount: given.skipped_count,
  };
}

/** @throws CallRefusal `invalid` */
export function readAcknowledgement(given: AcknowledgeMessage): AcknowledgeRequest {
  const { status } = given;
  if (status === "FIRE_RESULT_UNSPECIFIED" || typeof status !== "string") throw invalid("status", "is not a result");
  return {
    fireId: readId("fire_id", given.fire_id),
    status,
    error: emptyAsNull(readText("error", given.error, maxErrorLength)),
    taskId: emptyAsNull(readText("new_task_id", given.new_task_id, maxTaskIdLength)),
  };
}

/** @throws CallRefusal `invalid` */
export function readQuarantine(given: QuarantineRequest): QuarantineCall {
  const reasonCode = readText("reason_code", given.reason_code, maxReasonLength);
  if (reasonCode === "") throw invalid("reason_code", "must not be empty");
  return {
    scheduleId: readId("schedule_id", given.schedule_id),
    controlToken: readText("control_token", given.control_token, maxTokenLength),
    reasonCode,
    detail: readText("detail", given.detail, maxDetailLength),
  };
}

/** The projects that a stream is limited to; null for all. @throws CallRefusal `invalid` */
export function readProjectIds(given: readonly string[]): ReadonlySet<string> | null {
  if (given.length > maxProjectIds) throw invalid("project_ids", `must be at most ${maxProjectIds}`);
  return given.length === 0 ? null : new Set(given.map((id) => readId("project_ids", id)));
}

/** @throws CallRefusal `invalid` for a number that is not exact. */
export function readRevision(field: string, given: number): number {
  if (!Number.isSafeInteger(given) || given < 0) throw invalid(field, "is not a revision");
  return given;
}

function readControl(given: FireScheduleRequest | AdvanceCursorRequest) {
  return {
    scheduleId: readId("schedule_id", given.schedule_id),
    controlToken: readText("control_token", given.control_token, maxTokenLength),
    definitionDigest: readText("definition_digest", given.definition_digest, maxTokenLength),
    revision: readRevision("revision", given.revision),
    expectedNextRunAt: readInstant("expected_next_run_at", given.expected_next_run_at),
    preparedNextRunAt: readInstant("prepared_next_run_at", given.prepared_next_run_at),
    cadenceFingerprint: readText("cadence_fingerprint", given.cadence_fingerprint, maxTokenLength),
  };
}

function readId(field: string, given: string): string {
  if (!isUuid(given)) throw invalid(field, "is not a UUID");
  return given.toLowerCase();
}

function readText(field: string, given: string, maxLength: number): string {
  if (given.length > maxLength) throw invalid(field, `must have at most ${maxLength} characters`);
  // The server database stores no NUL.
  if (given.includes("\0")) throw invalid(field, "must not contain NUL");
  return given;
}

function readInstant(field: string, given: Timestamp | null): Date | null {
  const at = readTimestamp(given);
  // What every database can store.
  const isStorable = at === null ? given === null : Math.abs(at.getTime()) < 4e12;
  if (!isStorable) throw invalid(field, "is out of range");
  return at;
}

function requireInstant(field: string, given: Timestamp | null): Date {
  const at = readInstant(field, given);
  if (at === null) throw invalid(field, "is missing");
  return at;
}

const emptyAsNull = (text: string): string | null => (text === "" ? null : text);

const invalid = (field: string, fault: string) => new CallRefusal("invalid", `${field} ${fault}`);
