import {
  type AdvanceCursorRequest,
  type AdvanceCursorResponse,
  type FireScheduleRequest,
  type FireScheduleResponse,
  type QuarantineRequest,
  type QuarantineResponse,
  readTimestamp,
  type Timestamp,
} from "@svc/protocol";
import { BrainFault } from "../../src/brain/brain.ts";
import { digestOf, type FakeService, instant, messageOf, type StoredSchedule } from "./fake-service.ts";

const msOf = (at: Timestamp | null) => readTimestamp(at)?.getTime() ?? null;

/** The calls that change state, with the conditions of the contract in their order. */
export function createFakeCalls(service: FakeService, now: () => number) {
  /** The answer and the subject of each accepted fire. */
  const answers = new Map<string, { readonly subject: string; readonly answer: FireScheduleResponse }>();

  const base = (disposition: FireScheduleResponse["disposition"], schedule: StoredSchedule | null) => ({
    disposition,
    command_id: "",
    buffered: false,
    last_run_at: instant(schedule?.lastRunAt ?? null),
    next_run_at: instant(schedule?.nextRunAt ?? null),
    total_runs: schedule?.totalRuns ?? 0,
    live: null,
    error_code: "",
    error_message: "",
  });
  const withLive = (disposition: FireScheduleResponse["disposition"], schedule: StoredSchedule | undefined) => ({
    ...base(disposition, schedule ?? null),
    live: schedule === undefined ? null : messageOf(schedule),
  });

  const isStale = (
    schedule: StoredSchedule | undefined,
    request: Pick<FireScheduleRequest, "control_token" | "definition_digest" | "revision">,
  ): boolean =>
    schedule === undefined ||
    !schedule.isEnabled ||
    schedule.isPaused ||
    request.control_token !== schedule.controlToken ||
    request.definition_digest !== digestOf(schedule) ||
    request.revision !== schedule.revision;

  function successorOf(schedule: StoredSchedule, slot: number): number | null {
    const next = service.successor(schedule, slot);
    return next !== null && service.faults.otherSlots.has(schedule.id) ? next + 1000 : next;
  }

  function fire(request: FireScheduleRequest, by: string): FireScheduleResponse {
    const slot = msOf(request.scheduled_for);
    if (slot === null) throw new BrainFault("INVALID_ARGUMENT: scheduled_for is missing", false);
    const subject = `${request.schedule_id} ${slot}`;
    const known = answers.get(request.fire_id);
    if (known !== undefined) {
      if (known.subject !== subject) throw new BrainFault("INVALID_ARGUMENT: the fire id has another slot", false);
      return known.answer;
    }
    const injected = service.faults.answers.shift();
    if (injected !== undefined) return base(injected, null);
    if (request.cadence_fingerprint !== service.faults.fingerprint) return base("CADENCE_MISMATCH", null);
    const schedule = service.schedules.get(request.schedule_id);
    if (schedule === undefined || isStale(schedule, request)) return withLive("STALE_CONTROL", schedule);
    if (schedule.quarantineCode !== null) return base("QUARANTINED", schedule);
    if (msOf(request.expected_next_run_at) !== schedule.nextRunAt || slot !== schedule.nextRunAt) {
      return withLive("SLOT_RESOLVED", schedule);
    }
    const next = successorOf(schedule, slot);
    if (msOf(request.prepared_next_run_at) !== next) return base("CADENCE_MISMATCH", schedule);
    schedule.nextRunAt = next;
    if (schedule.overlapPolicy === "skip" && service.faults.openFires.has(schedule.id)) {
      service.skipped.set(schedule.id, (service.skipped.get(schedule.id) ?? 0) + 1);
      return base("SKIPPED_OVERLAP", schedule);
    }
    schedule.lastRunAt = slot;
    schedule.totalRuns += 1;
    service.fires.push({
      fireId: request.fire_id,
      scheduleId: schedule.id,
      scheduledFor: slot,
      at: now(),
      by,
      isMissed: request.missed,
    });
    const answer = { ...base("ACCEPTED", schedule), command_id: `command ${request.fire_id}` };
    answers.set(request.fire_id, { subject, answer });
    if (schedule.kind === "clocked") service.change(schedule, { isEnabled: false });
    return answer;
  }

  function advance(request: AdvanceCursorRequest): AdvanceCursorResponse {
    const answer = (disposition: AdvanceCursorResponse["disposition"], schedule?: StoredSchedule, isLive = false) => ({
      disposition,
      next_run_at: instant(schedule?.nextRunAt ?? null),
      live: isLive && schedule !== undefined ? messageOf(schedule) : null,
    });
    if (request.cadence_fingerprint !== service.faults.fingerprint) return answer("ADVANCE_CADENCE_MISMATCH");
    const schedule = service.schedules.get(request.schedule_id);
    if (schedule === undefined || isStale(schedule, request) || schedule.quarantineCode !== null) {
      return answer("ADVANCE_STALE_CONTROL", schedule, true);
    }
    const prepared = msOf(request.prepared_next_run_at);
    if (schedule.nextRunAt === prepared) return answer("ADVANCE_IDEMPOTENT", schedule);
    const through = msOf(request.skipped_through);
    if (msOf(request.expected_next_run_at) !== schedule.nextRunAt) {
      return answer("ADVANCE_SLOT_RESOLVED", schedule, true);
    }
    if (through === null || request.skipped_count < 1 || request.skipped_count > 10_000) {
      throw new BrainFault("INVALID_ARGUMENT: skipped_count or skipped_through", false);
    }
    if (successorOf(schedule, through) !== prepared) return answer("ADVANCE_CADENCE_MISMATCH", schedule);
    schedule.nextRunAt = prepared;
    service.skipped.set(schedule.id, (service.skipped.get(schedule.id) ?? 0) + request.skipped_count);
    return answer("ADVANCE_APPLIED", schedule);
  }

  function quarantine(request: QuarantineRequest): QuarantineResponse {
    const schedule = service.schedules.get(request.schedule_id);
    if (schedule === undefined) return { outcome: "QUARANTINE_NOT_FOUND", revision: 0 };
    if (schedule.controlToken !== request.control_token) return { outcome: "QUARANTINE_STALE_CONTROL", revision: 0 };
    if (schedule.quarantineCode !== null) return { outcome: "QUARANTINE_ALREADY_APPLIED", revision: schedule.revision };
    service.change(schedule, { quarantineCode: request.reason_code });
    return { outcome: "QUARANTINE_APPLIED", revision: schedule.revision };
  }

  return { fire, advance, quarantine };
}

export type FakeCalls = ReturnType<typeof createFakeCalls>;
