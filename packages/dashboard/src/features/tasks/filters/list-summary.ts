// What a screen reader is told of a list that lives: never a row, but now and then how many there were.

import { isNewer } from "../following/row-changes.ts";
import type { ListRow } from "../following/task-pages.ts";

/** What happened to the list since it was opened. */
export interface ListCounts {
  arrivedCount: number;
  failedCount: number;
}

/** At least this long between two summaries. */
export const summaryMs = 10_000;
/** A region whose words stay the same says nothing, so that they are gone well before the next ones. */
const clearMs = summaryMs / 2;

export type ListSummary = ReturnType<typeof createListSummary>;

/** `say` gets the words to announce, and an empty text once they were. */
export function createListSummary(say: (words: string) => void) {
  let told: ListCounts = { arrivedCount: 0, failedCount: 0 };
  let counted = told;
  let isPaused = false;
  let spacing: ReturnType<typeof setTimeout> | undefined;
  let clearing: ReturnType<typeof setTimeout> | undefined;

  function speak(): void {
    if (isPaused || spacing !== undefined) return;
    const words = summaryOf(counted.arrivedCount - told.arrivedCount, counted.failedCount - told.failedCount);
    if (words === "") return;
    told = counted;
    say(words);
    clearing = setTimeout(() => say(""), clearMs);
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
    /** What is counted meanwhile is told afterwards. */
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

/** How many known rows are failures now and were none before. */
export function turnedToFailure(known: readonly ListRow[], rows: readonly ListRow[]): number {
  const failed = new Map(rows.filter((row) => row.state === "failure").map((row) => [row.id, row]));
  if (failed.size === 0) return 0;
  return known.filter((row) => {
    const now = failed.get(row.id);
    return row.state !== "failure" && now !== undefined && isNewer(now, row);
  }).length;
}
