import type { PendingFireRow, ScheduleRow } from "../../../schema/tables/index.ts";
import type { FireMove } from "../states.ts";

/** The age of the oldest slot that `skip` still delivers, in milliseconds. */
const skipWindowMs = 60_000;

export type WaitingFire = Pick<PendingFireRow, "fire_id" | "definition_digest" | "scheduled_for" | "expires_at">;

/** Why a fire is dropped; the error code of the fire. */
export type DropCode = "expired" | "definition_changed" | "superseded";

/** What happens to the fires of a schedule that wait for an agent. */
export interface ReplayPlan<Fire extends WaitingFire> {
  /** To deliver, in the given order. */
  readonly deliver: readonly Fire[];
  /** Leave the buffer without being delivered. */
  readonly drop: readonly { readonly move: FireMove; readonly code: DropCode; readonly fires: readonly Fire[] }[];
}

/** The schedule of waiting fires. */
type Definition = Pick<ScheduleRow, "definition_digest" | "is_enabled" | "catch_up" | "kind" | "last_run_at">;

interface Replay {
  /** Undefined when it was deleted. */
  readonly schedule: Definition | undefined;
  /** The newest slot that waits under the current definition, which may not be among the given ones. */
  readonly newest: Date | null;
  readonly now: Date;
  /** When the replay began. `skip` compares with it, so that fires are not left out because many others come before them. */
  readonly since: Date;
}

/**
 * Decides about the waiting fires of a schedule once an agent can run them: expired ones and those of an earlier definition are dropped, and
 * the catch-up policy decides about the rest.
 */
export function planReplay<Fire extends WaitingFire>(
  waiting: readonly Fire[],
  { schedule, newest, now, since }: Replay,
): ReplayPlan<Fire> {
  const expired = waiting.filter(({ expires_at }) => expires_at <= now);
  const kept = waiting.filter(({ expires_at }) => expires_at > now);
  const isStale = (fire: Fire) => schedule === undefined || !isCurrent(fire, schedule);
  const stale = kept.filter(isStale);
  const current = kept.filter((fire) => !isStale(fire));
  const deliver = current.filter(isDelivered);
  const superseded = current.filter((fire) => !deliver.includes(fire));
  return {
    deliver,
    drop: [
      { move: "buffer_expire" as const, code: "expired" as const, fires: expired },
      { move: "definition_changed" as const, code: "definition_changed" as const, fires: stale },
      { move: "buffer_expire" as const, code: "superseded" as const, fires: superseded },
    ].filter(({ fires }) => fires.length > 0),
  };

  function isDelivered({ scheduled_for: at }: Fire): boolean {
    if (schedule?.catch_up === "fire_all_missed") return true;
    if (schedule?.catch_up === "skip") return since.getTime() - at.getTime() <= skipWindowMs;
    return at.getTime() === newest?.getTime();
  }
}

/** Whether a fire is of the current definition of a schedule that is enabled, or that this very fire has disabled. */
function isCurrent({ definition_digest: digest, scheduled_for: at }: WaitingFire, schedule: Definition): boolean {
  if (digest !== schedule.definition_digest) return false;
  return schedule.is_enabled || (schedule.kind === "clocked" && schedule.last_run_at?.getTime() === at.getTime());
}
