import { readInstant } from "./instants.ts";

/** How far occurred_at may be after the batch time before it is treated as clock skew. */
export const futureToleranceMs = 60_000;

/**
 * The time of a batch in epoch milliseconds: the earlier of `sealed_at` and the frame's `ts`, or `ts` when sealed_at is absent or
 * invalid. Null only when `ts` is invalid, which the replay guard has already refused.
 */
export function batchTimeOf(ts: string | null, sealedAt: string | null): number | null {
  const sentAt = readInstant(ts, { zone: "required" });
  const sealed = readInstant(sealedAt, { zone: "utc" });
  if (sentAt === null || sealed === null) return sentAt;
  return Math.min(sentAt, sealed);
}

export interface EventTime {
  readonly atMs: number;
  /** Whether the sender's time was missing, invalid or too far ahead. The caller logs a warning. */
  readonly isReplaced: boolean;
}

/** When an event happened: its own time or the batch time. Depends on these two alone, so a batch that is sent again gives the same times. */
export function eventTimeOf(occurredAt: unknown, batchTimeMs: number): EventTime {
  const at = readInstant(occurredAt, { zone: "utc" });
  if (at === null || at - batchTimeMs > futureToleranceMs) return { atMs: batchTimeMs, isReplaced: true };
  return { atMs: at, isReplaced: false };
}

/** Events before this instant are dropped: 00:00 UTC today minus the retention in days. */
export function retentionHorizonMs(now: Date, retentionDays: number): number {
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - retentionDays);
}
