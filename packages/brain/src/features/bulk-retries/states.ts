import { createStateMachine, type MoveOf } from "../../platform/state-machine.ts";
import type { BulkRetryChildRow, BulkRetryRequestRow } from "../../schema/tables/index.ts";

/**
 * The states of a bulk retry. A request consists of children, one task each, that are sealed with it. A request with a query is `sealing`
 * until its search is complete. A child is claimed once, which creates its command, and gets one outcome; no move leads back. The public
 * status follows from the counters.
 */
export const childMoves = {
  "pending / unobserved": { claim: "claimed / unobserved" },
  "claimed / unobserved": {
    result_success: "claimed / succeeded",
    result_failed: "claimed / failed",
    command_cancelled: "claimed / failed",
    result_unknown: "claimed / unknown",
    claim_deadline: "claimed / unknown",
    command_timeout: "claimed / unknown",
  },
  "claimed / succeeded": {},
  "claimed / failed": {},
  "claimed / unknown": {},
} as const;

export const controlMoves = {
  sealing: { sealed: "running", refuse: "refused", cancel: "cancelled" },
  running: { pause: "paused", deadline: "blocked", canary_failed: "blocked" },
  paused: { resume: "running" },
  blocked: { resume: "running", canary_failed: "blocked" },
  refused: {},
  cancelled: {},
} as const;

/** The tables as state machines, for stores and decisions. */
export const childMachine = createStateMachine(childMoves);
export const controlMachine = createStateMachine(controlMoves);
export type ChildMove = MoveOf<typeof childMoves>;
export type ControlMove = MoveOf<typeof controlMoves>;
/** A move that sets the outcome of a sent child. */
export type ChildEnd = Exclude<ChildMove, "claim">;

/** A state of the table as the columns of a child's row. */
export function childColumns(state: keyof typeof childMoves) {
  const [delivery_state, outcome] = state.split(" / ") as [string, string];
  return { delivery_state, outcome } satisfies Partial<BulkRetryChildRow>;
}

/** The outcome that a move sets. */
export const outcomeOfEnd = (end: ChildEnd): Outcome => childColumns(childMachine.to(end)).outcome as Outcome;

export const controlStates = ["sealing", "running", "paused", "blocked", "refused", "cancelled"] as const;
export type ControlState = (typeof controlStates)[number];

export const requestStatuses = [
  "sealing",
  "in_progress",
  "paused",
  "blocked",
  "succeeded",
  "failed",
  "partial",
  "indeterminate",
  "no_match",
  "refused",
  "cancelled",
] as const;
export type RequestStatus = (typeof requestStatuses)[number];

export const childOutcomes = ["unobserved", "succeeded", "failed", "unknown"] as const;
export type Outcome = Exclude<(typeof childOutcomes)[number], "unobserved">;

type Counted = Pick<
  BulkRetryRequestRow,
  "child_count" | "pending_count" | "claimed_count" | "succeeded_count" | "failed_count" | "unknown_count"
>;

type Controlled = Pick<BulkRetryRequestRow, "control_state">;

/** Number of children that were sent. */
export const sentOf = ({ child_count, pending_count }: Pick<Counted, "child_count" | "pending_count">): number =>
  child_count - pending_count;

/** Every child has its outcome, or will never get one. */
export const isFinished = ({ control_state, pending_count, claimed_count }: Counted & Controlled): boolean =>
  control_state !== "sealing" && pending_count + claimed_count === 0;

/** A passed deadline blocks the request at once, even before the coordinator has recorded it. */
export function controlOf(
  row: Counted & Pick<BulkRetryRequestRow, "control_state" | "deadline_at">,
  now: Date,
): ControlState {
  const isOver = row.control_state === "running" && row.pending_count > 0 && row.deadline_at <= now;
  return isOver ? "blocked" : (row.control_state as ControlState);
}

/** Whether its control state and deadline allow claiming more children. */
export const isClaimable = (
  row: Counted & Pick<BulkRetryRequestRow, "control_state" | "deadline_at">,
  now: Date,
): boolean => row.pending_count > 0 && controlOf(row, now) === "running";

/** The status of the first matching condition. */
export function statusOf(
  row: Counted & Pick<BulkRetryRequestRow, "control_state" | "deadline_at">,
  now: Date,
): RequestStatus {
  const { control_state: state } = row;
  if (state === "sealing" || state === "refused" || state === "cancelled") return state;
  if (row.child_count === 0) return "no_match";
  if (isFinished(row)) {
    if (row.succeeded_count === row.child_count) return "succeeded";
    if (row.unknown_count > 0) return "indeterminate";
    return row.failed_count === row.child_count ? "failed" : "partial";
  }
  const control = controlOf(row, now);
  return control === "running" ? "in_progress" : (control as "paused" | "blocked");
}

export const unendedReason = (unended: number, size: number): string =>
  `${unended} of the ${size} canary tasks had not finished by the deadline`;

export const deadlineReason = (unsent: number): string =>
  `the deadline passed with ${unsent} ${unsent === 1 ? "task" : "tasks"} unsent`;
