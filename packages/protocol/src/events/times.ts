import { readInstant } from "./instants.ts";

/** How far an occurred_at may lie after its batch before it counts as a wrong clock. */
export const futureToleranceMs = 60_000;

/**
 * The time of a batch in epoch milliseconds: the earlier of `sealed_at` and the frame's `ts`, `ts` alone when sealed_at is absent
 * or unreadable (2.3 rule 5). Null only when `ts` is unreadable, which the replay guard refuses before.
 */
export function batchTimeOf(ts: string | null, sealedAt: string | null): number | null {
  const sentAt = readInstant(ts, { zone: "required" });
  const sealed = readInstant(sealedAt, { zone: "utc" });
  if (sentAt === null || sealed === null) return sentAt;
  return Math.min(sentAt, sealed);
}

export interface EventTime {
  readonly atMs: number;
  /** The sender's time was missing, unreadable or too far ahead: warn. */
  readonly isReplaced: boolean;
}

/** When an event happened: its own time, or that of its batch. Depends on nothing but the two, so a re-sent batch agrees. */
export function eventTimeOf(occurredAt: unknown, batchTimeMs: number): EventTime {
  const at = readInstant(occurredAt, { zone: "utc" });
  if (at === null || at - batchTimeMs > futureToleranceMs) return { atMs: batchTimeMs, isReplaced: true };
  return { atMs: at, isReplaced: false };
}

/** An event before this instant is dropped for its age: 00:00 UTC of today minus the retention in days (2.3 rule 6). */
export function retentionHorizonMs(now: Date, retentionDays: number): number {
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - retentionDays);
}
