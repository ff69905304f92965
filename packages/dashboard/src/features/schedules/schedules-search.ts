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

/** The URL parameters of the editor of a schedule. */
export interface EditSearch {
  /** A cron expression that is filled in instead of the stored one. */
  expression?: string;
  since?: string;
  until?: string;
}

const longestExpression = 1024;

export function readEditSearch({ expression, ...raw }: Readonly<Record<string, unknown>>): EditSearch {
  const isText = typeof expression === "string" && expression !== "" && expression.length <= longestExpression;
  return { ...(isText && { expression }), ...readRange(raw) };
}
