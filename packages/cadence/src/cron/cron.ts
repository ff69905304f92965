import type { Zone } from "../zones/zone.ts";
import { readCron } from "./fields.ts";
import { nextMatch } from "./next-match.ts";

/** A search ends here. Leap days are at most eight years apart. */
const searchSeconds = 8 * 366 * 86_400;

/**
 * Compiles a cron expression in a zone. Wall times in the gap of a change fire once, at the first instant after the gap. Wall times that occur
 * twice fire twice.
 *
 * @returns the first second after the given one, since 1970; null if none is within eight years
 * @throws CadenceError `invalid_cron`
 */
export function compileCron(expression: string, zone: Zone): (after: number) => number | null {
  const fields = readCron(expression);
  return (after) => {
    const limit = after + searchSeconds;
    let from = after + 1;
    while (from <= limit) {
      const offset = zone.offsetAt(from);
      const before = zone.offsetBefore(from);
      if (before !== null && offset > before && nextMatch(fields, from + before, from + offset) !== null) return from;
      const change = Math.min(zone.changeAfter(from), limit + 1);
      const found = nextMatch(fields, from + offset, change + offset);
      if (found !== null) return found - offset;
      from = change;
    }
    return null;
  };
}
