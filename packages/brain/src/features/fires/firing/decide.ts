import { cadenceFingerprint } from "@svc/cadence";
import type { AdvanceDisposition, FireDisposition } from "@svc/protocol";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { ownScheduler, successor } from "../../schedules/index.ts";
import type { AdvanceRequest, FireRequest } from "../requests.ts";

/** Decides about a slot that a scheduler offers or skips. Knows no database. */

/** A locked schedule, with the state of its project. */
export interface LockedSchedule {
  readonly row: ScheduleRow;
  readonly isProjectActive: boolean;
}

/** A fire with the requested id, whatever schedule it belongs to. */
export interface KnownFire {
  readonly scheduleId: string;
  readonly scheduledFor: Date;
  readonly commandId: string | null;
  readonly isBuffered: boolean;
}

export interface FireFacts {
  readonly known: KnownFire | undefined;
  readonly schedule: LockedSchedule | undefined;
  /** Whether an earlier fire of the schedule is open. Only read for the overlap policy `skip`. */
  readonly isOpen: boolean;
}

export type FireVerdict =
  /** The request contradicts the stored fire. */
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "stored"; readonly fire: KnownFire }
  | { readonly kind: "refused"; readonly disposition: FireDisposition; readonly live: ScheduleRow | null }
  | { readonly kind: "skipped" | "accepted"; readonly row: ScheduleRow; readonly next: Date | null };

/** The first row of the condition table that applies. @throws CadenceError for a stored definition that is wrong */
export function decideFire(request: FireRequest, { known, schedule, isOpen }: FireFacts): FireVerdict {
  if (known !== undefined) {
    const isSame = known.scheduleId === request.scheduleId && isEqual(known.scheduledFor, request.scheduledFor);
    return isSame
      ? { kind: "stored", fire: known }
      : { kind: "invalid", reason: "fire_id belongs to another schedule or slot" };
  }
  const refused = refusalOf(request, schedule);
  if (refused !== null) return { kind: "refused", ...refused };
  const row = schedule!.row;
  const refuse = (disposition: FireDisposition): FireVerdict => ({ kind: "refused", disposition, live: row });
  if (row.quarantined_at !== null) return refuse("QUARANTINED");
  if (!isEqual(request.expectedNextRunAt, row.next_run_at) || !isEqual(request.scheduledFor, row.next_run_at)) {
    return refuse("SLOT_RESOLVED");
  }
  const next = successor(row, request.scheduledFor);
  if (!isEqual(request.preparedNextRunAt, next)) return refuse("CADENCE_MISMATCH");
  return { kind: row.overlap_policy === "skip" && isOpen ? "skipped" : "accepted", row, next };
}

export const maxSkippedSlots = 10_000;

export type AdvanceVerdict =
  | { readonly kind: "invalid"; readonly reason: string }
  | {
      readonly kind: "refused" | "idempotent";
      readonly disposition: AdvanceDisposition;
      readonly live: ScheduleRow | null;
    }
  | { readonly kind: "applied"; readonly row: ScheduleRow; readonly next: Date | null };

/** The same comparisons for slots that are skipped. A quarantined schedule has changed, so its scheduler must replace its row. */
export function decideAdvance(request: AdvanceRequest, schedule: LockedSchedule | undefined): AdvanceVerdict {
  if (request.skippedCount > maxSkippedSlots) {
    return { kind: "invalid", reason: `skipped_count must be at most ${maxSkippedSlots}` };
  }
  const refused = refusalOf(request, schedule);
  if (refused !== null) {
    return { kind: "refused", disposition: `ADVANCE_${refused.disposition}`, live: refused.live };
  }
  const row = schedule!.row;
  if (row.quarantined_at !== null) return { kind: "refused", disposition: "ADVANCE_STALE_CONTROL", live: row };
  if (isEqual(request.preparedNextRunAt, row.next_run_at)) {
    return { kind: "idempotent", disposition: "ADVANCE_IDEMPOTENT", live: row };
  }
  const isResolved = row.next_run_at === null || request.skippedThrough < row.next_run_at;
  if (isResolved || !isEqual(request.expectedNextRunAt, row.next_run_at)) {
    return { kind: "refused", disposition: "ADVANCE_SLOT_RESOLVED", live: row };
  }
  const next = successor(row, request.skippedThrough);
  if (!isSlot(row, request.skippedThrough) || !isEqual(request.preparedNextRunAt, next)) {
    return { kind: "refused", disposition: "ADVANCE_CADENCE_MISMATCH", live: row };
  }
  return { kind: "applied", row, next };
}

type Compared = Pick<FireRequest, "cadenceFingerprint" | "controlToken" | "definitionDigest" | "revision">;

/** Why a scheduler whose copy of the schedule differs must not move it; null when the copy is current. */
function refusalOf(
  { cadenceFingerprint: fingerprint, controlToken, definitionDigest, revision }: Compared,
  schedule: LockedSchedule | undefined,
): { disposition: "CADENCE_MISMATCH" | "STALE_CONTROL"; live: ScheduleRow | null } | null {
  const isOurs = schedule?.isProjectActive === true && schedule.row.scheduler === ownScheduler;
  const live = isOurs ? schedule.row : null;
  if (fingerprint !== cadenceFingerprint) return { disposition: "CADENCE_MISMATCH", live };
  const isCurrent =
    live?.is_enabled === true &&
    live.paused_at === null &&
    live.control_token === controlToken &&
    live.definition_digest === definitionDigest &&
    live.schedule_revision === revision;
  return isCurrent ? null : { disposition: "STALE_CONTROL", live };
}

/** An interval is anchored to its slots, so an instant between two of them would shift all that follow. */
const isSlot = ({ kind, expression, next_run_at: next }: ScheduleRow, at: Date): boolean =>
  kind !== "interval" || (at.getTime() - (next?.getTime() ?? 0)) % (Number(expression) * 1000) === 0;

const isEqual = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime();
