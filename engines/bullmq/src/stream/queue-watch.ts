import type { QueueNames } from "../redis/names.ts";
import type { StreamPosition } from "./stream-position.ts";

/** One queue that is being watched, and how far its stream has been read. Only the read loop changes it. */
export interface QueueWatch {
  readonly names: QueueNames;
  position: StreamPosition;
  /** Entry whose count Redis told: when it is read, our own count must be the same, or entries were trimmed under the reader. */
  checkpoint: StreamPosition | undefined;
  /** Time of the newest entry up to which nothing is missing. */
  completeUpToMs: number;
  /** Starts of unfinished jobs in a later attempt, by job id. */
  readonly starts: Map<string, number>;
  /** Starts of jobs whose end was told shortly before the position where the watch began, by job id; empty after the first check. */
  endedBefore: Readonly<Record<string, number>>;
  /** True when the position moved on without an event to carry it. */
  isUnsaved: boolean;
  /** Checks in a row that found no stream. */
  absentChecks: number;
}
