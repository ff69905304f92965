import { CadenceError } from "./cadence-error.ts";
import { daysInMonth, daysOf } from "./zones/civil.ts";
import type { Zone } from "./zones/zone.ts";

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.](\d{1,3})\d{0,6})?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i;
const firstYear = 1970;
const lastYear = 2199;

/**
 * The instant of an ISO timestamp, in milliseconds since 1970. Without a zone it is a wall time in `zone`: in a gap, the first instant after the
 * gap; if it occurs twice, the first.
 *
 * @throws CadenceError `invalid_instant`
 */
export function readInstantIn(expression: string, zone: Zone): number {
  const found = pattern.exec(expression.trim());
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (found?.slice(1, 7) ?? []).map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (
    found === null ||
    !isDate ||
    hour > 23 ||
    minute > 59 ||
    (second || 0) > 59 ||
    year < firstYear ||
    year > lastYear
  ) {
    throw new CadenceError(
      "invalid_instant",
      `a clocked schedule needs a date and time such as 2026-03-01T06:00:00Z, from ${firstYear} to ${lastYear}`,
    );
  }
  const wall = daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + (second || 0);
  const milliseconds = Number((found[7] ?? "").padEnd(3, "0"));
  const [, , , , , , , , isUtc, sign, offsetHours, offsetMinutes] = found;
  if (isUtc !== undefined) return wall * 1000 + milliseconds;
  if (sign === undefined) return inZone(wall, zone) * 1000 + milliseconds;
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes) * 60;
  return (wall - (sign === "-" ? -offset : offset)) * 1000 + milliseconds;
}

/** The first second at which clocks in `zone` show `wall`, or that follows the gap in which they would. */
function inZone(wall: number, zone: Zone): number {
  // No offset is longer than a day, so the search begins before every candidate.
  let from = wall - 86_400;
  while (true) {
    const offset = zone.offsetAt(from);
    const change = zone.changeAfter(from);
    if (wall - offset < change) return Math.max(from, wall - offset);
    from = change;
  }
}
