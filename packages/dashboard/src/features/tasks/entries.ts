import type { ListRow } from "./task-pages.ts";

// The lines of the list: its rows, below some of them what the task was given, and between them what is known to be
// missing.

/** A span in which events were lost, as `from` and `to` in milliseconds since 1970. */
export interface Band {
  key: string;
  fromMs: number;
  toMs: number;
}

export type Entry<Lost extends Band> =
  | { kind: "row"; key: string; row: ListRow }
  | { kind: "input"; key: string; row: ListRow }
  | { kind: "band"; key: string; band: Lost };

interface Lines<Lost extends Band> {
  rows: readonly ListRow[];
  /** Ids of the rows whose input is shown. */
  opened: ReadonlySet<string>;
  bands: readonly Lost[];
  /** Whether the list reaches back to its oldest task, so that nothing older can come between. */
  isEnded: boolean;
}

/**
 * One line per row, newest first. A band stands above the first row that was received before its end; one that lies
 * below everything loaded waits until the list reaches it.
 */
export function entriesOf<Lost extends Band>({ rows, opened, bands, isEnded }: Lines<Lost>): Entry<Lost>[] {
  const entries: Entry<Lost>[] = [];
  const waiting = [...bands].sort((a, b) => b.toMs - a.toMs);
  for (const row of rows) {
    const receivedMs = Date.parse(row.received_at);
    while (waiting[0] && waiting[0].toMs >= receivedMs) pushBand(entries, waiting.shift());
    entries.push({ kind: "row", key: row.id, row });
    if (opened.has(row.id)) entries.push({ kind: "input", key: `input ${row.id}`, row });
  }
  if (isEnded) for (const band of waiting) pushBand(entries, band);
  return entries;
}

function pushBand<Lost extends Band>(entries: Entry<Lost>[], band: Lost | undefined): void {
  if (band) entries.push({ kind: "band", key: `band ${band.key}`, band });
}
