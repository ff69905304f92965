// Screen reader announcements for the live list: occasional counts, never single rows.

import type { ListRow } from "../../task-data/index.ts";
import { isNewer } from "../following/row-changes.ts";

/** Changes to the list since it was opened. */
export interface ListCounts {
  arrivedCount: number;
  failedCount: number;
}

/** Minimum time between two announcements. */
export const summaryMs = 10_000;
/** An unchanged live region is not announced, so the text is cleared well before the next one. */
const clearMs = summaryMs / 2;

export type ListSummary = ReturnType<typeof createListSummary>;

/** Calls `announce` with each summary, and later with an empty text to clear it. */
export function createListSummary(announce: (text: string) => void) {
  let announced: ListCounts = { arrivedCount: 0, failedCount: 0 };
  let counted = announced;
  let isPaused = false;
  let spacing: ReturnType<typeof setTimeout> | undefined;
  let clearing: ReturnType<typeof setTimeout> | undefined;

  function speak(): void {
    if (isPaused || spacing !== undefined) return;
    const text = summaryOf(counted.arrivedCount - announced.arrivedCount, counted.failedCount - announced.failedCount);
    if (text === "") return;
    announced = counted;
    announce(text);
    clearing = setTimeout(() => announce(""), clearMs);
    spacing = setTimeout(() => {
      spacing = undefined;
      speak();
    }, summaryMs);
  }

  return {
    count(counts: ListCounts): void {
      counted = counts;
      speak();
    },
    /** Counts that arrive during a pause are announced after it. */
    pause(isPausing: boolean): void {
      isPaused = isPausing;
      speak();
    },
    stop(): void {
      clearTimeout(spacing);
      clearTimeout(clearing);
      spacing = undefined;
    },
  };
}

function summaryOf(arrived: number, failed: number): string {
  return [arrived > 0 ? `${arrived} new` : "", failed > 0 ? `${failed} failed` : ""].filter(Boolean).join(", ");
}

/** The number of known rows that have newly failed. */
export function countNewFailures(known: readonly ListRow[], rows: readonly ListRow[]): number {
  const failed = new Map(rows.filter((row) => row.state === "failure").map((row) => [row.id, row]));
  if (failed.size === 0) return 0;
  return known.filter((row) => {
    const now = failed.get(row.id);
    return row.state !== "failure" && now !== undefined && isNewer(now, row);
  }).length;
}
