/** What a fire's status means for its reader, and how a strip draws it. */
export interface FireStyle {
  group: FireGroup;
  label: string;
  /** Its shape inside the bar, besides the colour of the group. */
  mark: FireMark;
}

export type FireGroup = "done" | "failed" | "in flight" | "buffered" | "skipped";
export type FireMark = "none" | "cross" | "arrow" | "waiting" | "stale" | "expired" | "dash";

const styles: Readonly<Record<string, FireStyle>> = {
  acked_success: { group: "done", label: "Done", mark: "none" },
  terminal_completed: { group: "done", label: "Done (set by an operator)", mark: "none" },
  failed: { group: "failed", label: "Not sent to an agent", mark: "cross" },
  acked_failed: { group: "failed", label: "Failed", mark: "cross" },
  terminal_failed: { group: "failed", label: "Failed (set by an operator)", mark: "cross" },
  terminal_timeout: { group: "failed", label: "Outcome unknown: no result in time", mark: "cross" },
  pending: { group: "in flight", label: "Being sent", mark: "arrow" },
  accepted: { group: "in flight", label: "Being sent", mark: "arrow" },
  delivered: { group: "in flight", label: "Waiting for the result", mark: "arrow" },
  buffered: { group: "buffered", label: "Waiting for an agent", mark: "waiting" },
  buffer_stale: { group: "buffered", label: "Dropped: the schedule changed while it waited", mark: "stale" },
  buffer_expired: { group: "buffered", label: "Dropped: no agent came online in time", mark: "expired" },
  operator_skipped: { group: "skipped", label: "Skipped by an operator", mark: "dash" },
  terminal_cancelled: { group: "skipped", label: "Cancelled", mark: "dash" },
};

/** A status of a newer server is shown under its own name, as in flight. */
export const fireStyle = (status: string): FireStyle =>
  styles[status] ?? { group: "in flight", label: status, mark: "arrow" };

const ended = ["acked_success", "acked_failed", "terminal_completed", "terminal_failed", "terminal_cancelled"];
const endedUnsent = ["failed", "buffer_stale", "buffer_expired", "operator_skipped"];

/** Whether an operator may still set how the fire ended: it has no outcome yet, or only timed out. */
export const isUnresolved = (status: string): boolean => !ended.includes(status) && !endedUnsent.includes(status);
