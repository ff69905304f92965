import type { PreparedEvent } from "../prepare-batch.ts";
import type { Touches } from "./touches.ts";

/** The changes of a commit, for listeners and metrics. */
export interface CommittedGroup {
  /** Those of the given events that were inserted. */
  readonly stored: readonly PreparedEvent[];
  readonly tasks: readonly ChangedTask[];
  readonly workers: readonly { readonly projectId: string; readonly id: string }[];
  readonly schedules: readonly { readonly projectId: string; readonly id: string }[];
  readonly touches: Touches;
}

export interface ChangedTask {
  readonly projectId: string;
  readonly id: string;
  /** The name in the row, whichever event it came from. */
  readonly name: string;
  /** Null when there was no row. */
  readonly stateBefore: string | null;
  readonly stateAfter: string;
}

/**
 * Stores events in one transaction and resolves when they are durable. Rejects with a transient error when nothing is stored but a retry may
 * succeed, and with any other error when the events cannot be stored together.
 */
export type CommitEvents = (events: readonly PreparedEvent[]) => Promise<CommittedGroup>;
