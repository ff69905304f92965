import type { PreparedEvent } from "../prepare-batch.ts";
import type { Touches } from "./touches.ts";

/** What a commit changed, for those who show or count it. */
export interface CommittedGroup {
  /** Those of the given events that were inserted. */
  readonly stored: readonly PreparedEvent[];
  readonly tasks: readonly ChangedTask[];
  readonly workers: readonly { readonly projectId: string; readonly id: string }[];
  readonly touches: Touches;
}

export interface ChangedTask {
  readonly projectId: string;
  readonly id: string;
  /** That of the row, whichever event gave it. */
  readonly name: string;
  /** Null when there was no row. */
  readonly stateBefore: string | null;
  readonly stateAfter: string;
}

/**
 * Stores events in one transaction and resolves when they are durable. Rejects with a transient error when nothing is stored but may be
 * when tried again, and with any other error when the events as they are cannot be stored together.
 */
export type CommitEvents = (events: readonly PreparedEvent[]) => Promise<CommittedGroup>;
