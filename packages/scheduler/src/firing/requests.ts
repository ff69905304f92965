import { cadenceFingerprint } from "@svc/cadence";
import {
  type AdvanceCursorRequest,
  type FireScheduleRequest,
  fireIdOf,
  timestampOf,
  timestampOrNull,
} from "@svc/protocol";
import type { Schedule } from "../schedules/row.ts";
import type { Step } from "./plan.ts";

/** What the service compares with the stored schedule. */
type Control = Pick<Schedule, "id" | "controlToken" | "definitionDigest" | "revision">;

const instant = (ms: number) => timestampOf(new Date(ms));
const instantOrNull = (ms: number | null) => timestampOrNull(ms === null ? null : new Date(ms));

/** The fire id follows from schedule, slot and control token, so every attempt and every scheduler sends the same one. */
export function fireRequest(schedule: Control, step: Step & { kind: "fire" }, now: number): FireScheduleRequest {
  return {
    schedule_id: schedule.id,
    fire_id: fireIdOf(schedule.id, new Date(step.slot), schedule.controlToken),
    scheduled_for: instant(step.slot),
    fired_at: instant(now),
    control_token: schedule.controlToken,
    definition_digest: schedule.definitionDigest,
    revision: schedule.revision,
    expected_next_run_at: instant(step.slot),
    prepared_next_run_at: instantOrNull(step.next),
    cadence_fingerprint: cadenceFingerprint,
    missed: step.isMissed,
  };
}

export function advanceRequest(schedule: Control, step: Step & { kind: "advance" }): AdvanceCursorRequest {
  return {
    schedule_id: schedule.id,
    control_token: schedule.controlToken,
    definition_digest: schedule.definitionDigest,
    revision: schedule.revision,
    expected_next_run_at: instant(step.slot),
    skipped_through: instant(step.through),
    skipped_count: step.skipped,
    prepared_next_run_at: instantOrNull(step.next),
    cadence_fingerprint: cadenceFingerprint,
  };
}
