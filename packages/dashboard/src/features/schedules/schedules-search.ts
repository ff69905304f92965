import { readFilter } from "../../address/page-search.ts";
import { readRange } from "../../address/range-text.ts";
import { type Shown, shownChoices } from "./schedule-state.ts";

/** The URL parameters of the list. */
export interface SchedulesSearch {
  /** Absent for all. */
  show?: Shown;
  filter?: string;
  since?: string;
  until?: string;
}

export function readSchedulesSearch({ show, ...raw }: Readonly<Record<string, unknown>>): SchedulesSearch {
  const known = shownChoices.find((one) => one === show);
  const filter = readFilter(raw);
  return { ...(known && { show: known }), ...(filter !== "" && { filter }), ...readRange(raw) };
}
