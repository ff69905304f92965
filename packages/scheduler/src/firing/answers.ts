import {
  type AdvanceCursorResponse,
  type FireScheduleResponse,
  readTimestamp,
  type ScheduleMessage,
  type Timestamp,
} from "@svc/protocol";
import type { Gate } from "../gate.ts";
import type { SchedulerLog } from "../log.ts";
import type { Schedule } from "../schedules/row.ts";
import type { ScheduleTable } from "../schedules/table.ts";
import type { Step } from "./plan.ts";

/** `done`: the schedule is planned again. `again`: the same slot is offered again after a pause. `later`: only after a longer pause. */
export type Outcome = "done" | "again" | "later";

export interface AnswerOptions {
  readonly table: ScheduleTable;
  readonly gate: Gate;
  readonly log: SchedulerLog;
  /** Slots that were skipped without a fire. */
  onDiscarded(slots: number): void;
  /** The service computes another successor or has another fingerprint. */
  onMismatch(): void;
}

/** Applies the answers of the service to the table. `controlToken` is the one of the request: the schedule may have changed since. */
export function createAnswers({ table, gate, log, onDiscarded, onMismatch }: AnswerOptions) {
  function mismatch(schedule: Schedule, controlToken: string): Outcome {
    log.error("scheduler.cadence.mismatch", { schedule_id: schedule.id });
    gate.close({ schedule: { id: schedule.id, controlToken } });
    onMismatch();
    return "later";
  }

  /** The service has another row. If it is the stored one, both disagree on something else, and a pause prevents a fast loop. */
  function replace(schedule: Schedule, controlToken: string, live: ScheduleMessage | null): Outcome {
    if (schedule.controlToken !== controlToken) return "done";
    if (live !== null) return table.replace(live) ? "done" : "later";
    table.remove(schedule);
    return "done";
  }

  return {
    fired(
      schedule: Schedule,
      controlToken: string,
      step: Step & { kind: "fire" },
      answer: FireScheduleResponse,
    ): Outcome {
      switch (answer.disposition) {
        case "ACCEPTED":
        case "SKIPPED_OVERLAP":
          if (schedule.controlToken !== controlToken) return "done";
          schedule.replayed = step.isMissed ? schedule.replayed + 1 : 0;
          schedule.chosenSlot = null;
          table.moveCursor(schedule, controlToken, successor(step.slot, step.next, answer.next_run_at));
          return "done";
        case "QUARANTINED":
          if (schedule.controlToken === controlToken) schedule.isRunnable = false;
          return "done";
        case "SLOT_RESOLVED":
        case "STALE_CONTROL":
          return replace(schedule, controlToken, answer.live);
        case "CADENCE_MISMATCH":
          return mismatch(schedule, controlToken);
        default:
          return "again";
      }
    },

    advanced(
      schedule: Schedule,
      controlToken: string,
      step: Step & { kind: "advance" },
      answer: AdvanceCursorResponse,
    ): Outcome {
      switch (answer.disposition) {
        case "ADVANCE_APPLIED":
        case "ADVANCE_IDEMPOTENT":
          if (answer.disposition === "ADVANCE_APPLIED") onDiscarded(step.skipped);
          if (schedule.controlToken !== controlToken) return "done";
          schedule.replayed = 0;
          schedule.chosenSlot = step.chosen ? step.next : null;
          table.moveCursor(schedule, controlToken, successor(step.through, step.next, answer.next_run_at));
          return "done";
        case "ADVANCE_SLOT_RESOLVED":
        case "ADVANCE_STALE_CONTROL":
          return replace(schedule, controlToken, answer.live);
        case "ADVANCE_CADENCE_MISMATCH":
          return mismatch(schedule, controlToken);
        default:
          return "again";
      }
    },
  };
}

export type Answers = ReturnType<typeof createAnswers>;

/**
 * The cursor after `slot`. The service's one counts, because another scheduler may have moved it further; but a cursor that does not
 * follow the slot would fire it again.
 */
function successor(slot: number, prepared: number | null, answered: Timestamp | null): number | null {
  const next = readTimestamp(answered)?.getTime() ?? null;
  return next !== null && next > slot ? next : prepared;
}
