import { type GapGroup, type LossGap, placeGaps } from "../../../ui/gap-band/gaps.ts";
import type { ListRow } from "../../task-data/index.ts";

// The lines of the list: its rows, an input panel below opened rows, and gap bands between rows.

export type Entry =
  | { kind: "row"; key: string; row: ListRow }
  | { kind: "input"; key: string; row: ListRow }
  | { kind: "gap"; key: string; group: GapGroup };

interface Lines {
  rows: readonly ListRow[];
  /** Ids of the rows whose input is shown. */
  opened: ReadonlySet<string>;
  gaps: readonly LossGap[];
  /** Older rows exist that are not loaded. */
  hasOlder: boolean;
}

/** The rows, newest first, with the input panels and gap bands between them. */
export function entriesOf({ rows, opened, gaps, hasOlder }: Lines): Entry[] {
  const receivedMs = (index: number) => Date.parse(rows[index]?.received_at ?? "");
  const groups = placeGaps(gaps, { receivedMs, rowCount: rows.length, hasOlder });
  const entries: Entry[] = [];
  const pushGap = (place: number) => {
    const group = groups.get(place);
    if (group) entries.push({ kind: "gap", key: group.key, group });
  };
  rows.forEach((row, index) => {
    pushGap(index);
    entries.push({ kind: "row", key: row.id, row });
    if (opened.has(row.id)) entries.push({ kind: "input", key: `input ${row.id}`, row });
  });
  pushGap(rows.length);
  return entries;
}
