import { createStateMachine, type MoveOf } from "../../platform/state-machine.ts";

/**
 * The statuses of a fire. A fire is accepted with its command, or buffered while no agent can run it. Its command decides how it
 * continues; a scheduler that observes the work itself may report the outcome instead, and operators may end a fire whose outcome is unknown.
 */
export const fireMoves = {
  pending: {
    issue: "accepted",
    dispatch: "delivered",
    buffer: "buffered",
    fail: "failed",
    observe_success: "acked_success",
    observe_failure: "acked_failed",
    observe_timeout: "terminal_timeout",
    resolve_completed: "terminal_completed",
    resolve_failed: "terminal_failed",
    resolve_cancelled: "terminal_cancelled",
    resolve_timeout: "terminal_timeout",
    resolve_skipped: "operator_skipped",
  },
  accepted: {
    dispatch: "delivered",
    buffer: "buffered",
    report_success: "acked_success",
    report_failure: "acked_failed",
    expire: "terminal_timeout",
    cancel: "terminal_cancelled",
    fail: "failed",
    observe_success: "acked_success",
    observe_failure: "acked_failed",
    observe_timeout: "terminal_timeout",
    resolve_completed: "terminal_completed",
    resolve_failed: "terminal_failed",
    resolve_cancelled: "terminal_cancelled",
    resolve_timeout: "terminal_timeout",
    resolve_skipped: "operator_skipped",
  },
  buffered: {
    replay: "delivered",
    definition_changed: "buffer_stale",
    buffer_expire: "buffer_expired",
    fail: "failed",
    observe_success: "acked_success",
    observe_failure: "acked_failed",
    observe_timeout: "terminal_timeout",
    resolve_completed: "terminal_completed",
    resolve_failed: "terminal_failed",
    resolve_cancelled: "terminal_cancelled",
    resolve_timeout: "terminal_timeout",
    resolve_skipped: "operator_skipped",
  },
  delivered: {
    dispatch: "delivered",
    signing_failed: "failed",
    report_success: "acked_success",
    report_failure: "acked_failed",
    expire: "terminal_timeout",
    cancel: "terminal_cancelled",
    observe_success: "acked_success",
    observe_failure: "acked_failed",
    observe_timeout: "terminal_timeout",
    resolve_completed: "terminal_completed",
    resolve_failed: "terminal_failed",
    resolve_cancelled: "terminal_cancelled",
    resolve_timeout: "terminal_timeout",
    resolve_skipped: "operator_skipped",
  },
  terminal_timeout: {
    resolve_completed: "terminal_completed",
    resolve_failed: "terminal_failed",
    resolve_cancelled: "terminal_cancelled",
    resolve_timeout: "terminal_timeout",
    resolve_skipped: "operator_skipped",
  },
  acked_success: {},
  acked_failed: {},
  failed: {},
  buffer_stale: {},
  buffer_expired: {},
  operator_skipped: {},
  terminal_completed: {},
  terminal_failed: {},
  terminal_cancelled: {},
} as const;

export type FireStatus = keyof typeof fireMoves;
export type FireMove = MoveOf<typeof fireMoves>;
export const fireStatuses = Object.keys(fireMoves) as readonly FireStatus[];

/** The table as a state machine, for stores and decisions. */
export const fireMachine = createStateMachine(fireMoves);

/** Statuses of fires that have not ended: the schedule has an open fire. */
export const openFireStatuses = [
  "pending",
  "accepted",
  "delivered",
  "buffered",
] as const satisfies readonly FireStatus[];

/** Statuses that count as a failure for the circuit breaker. */
export const failedFireStatuses = ["failed", "acked_failed"] as const satisfies readonly FireStatus[];

/** Kinds of misfires. */
export const misfireKinds = ["missed_slot", "late_start", "long_run"] as const;
export type MisfireKind = (typeof misfireKinds)[number];
