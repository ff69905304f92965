import { dateOf, daySeconds, daysInMonth, daysOf, weekdayOf } from "../zones/civil.ts";
import type { CronFields, DayFields } from "./fields.ts";

/** The first second on a wall clock from `from` on that matches and is before `before`; null if none is. Seconds since 1970 by that clock. */
export function nextMatch(fields: CronFields, from: number, before: number): number | null {
  const today = Math.floor(from / daySeconds);
  const time = nextTime(fields, from - today * daySeconds);
  const day = nextDay(fields, time === null ? today + 1 : today, Math.ceil(before / daySeconds));
  if (day === null) return null;
  const second = day * daySeconds + (day === today && time !== null ? time : firstTime(fields));
  return second < before ? second : null;
}

/** The first matching time of day from `second` on, in seconds since midnight. */
function nextTime({ nextSecond, nextMinute, nextHour }: CronFields, second: number): number | null {
  const hour = Math.floor(second / 3600);
  const minute = Math.floor(second / 60) % 60;
  if (nextHour[hour] === hour) {
    const inMinute = nextMinute[minute] === minute ? (nextSecond[second % 60] as number) : -1;
    if (inMinute >= 0) return hour * 3600 + minute * 60 + inMinute;
    const later = minute === 59 ? -1 : (nextMinute[minute + 1] as number);
    if (later >= 0) return hour * 3600 + later * 60 + (nextSecond[0] as number);
  }
  const later = hour === 23 ? -1 : (nextHour[hour + 1] as number);
  return later < 0 ? null : later * 3600 + (nextMinute[0] as number) * 60 + (nextSecond[0] as number);
}

const firstTime = ({ nextSecond, nextMinute, nextHour }: CronFields): number =>
  (nextHour[0] as number) * 3600 + (nextMinute[0] as number) * 60 + (nextSecond[0] as number);

/** The first matching day from `from` on, and before `before`. */
function nextDay(fields: CronFields, from: number, before: number): number | null {
  let { year, month, day } = dateOf(from);
  let firstOfMonth = from - day + 1;
  while (firstOfMonth < before) {
    const count = daysInMonth(year, month);
    if ((fields.months & (1 << month)) !== 0) {
      const rest = daysOfMonth(fields, firstOfMonth, count) & (-1 << day);
      // The lowest bit that is set.
      if (rest !== 0) return firstOfMonth + 31 - Math.clz32(rest & -rest) - 1;
    }
    day = 1;
    firstOfMonth += count;
    if (month === 12) {
      year += 1;
      month = 1;
      // A whole year is skipped at once when its months cannot match.
      firstOfMonth = daysOf(year, 1, 1);
    } else month += 1;
  }
  return null;
}

/** The matching days of a month as bits. */
function daysOfMonth(fields: DayFields, firstOfMonth: number, count: number): number {
  const first = weekdayOf(firstOfMonth);
  let days = fields.days;
  if (fields.hasLastDay) days |= 1 << count;
  let weekdays = 0;
  for (let weekday = 0; weekday < 7; weekday += 1) {
    if ((fields.weekdays & (1 << weekday)) !== 0) weekdays |= everyWeek << (1 + ((weekday - first + 7) % 7));
  }
  for (const [weekday, nth] of fields.nths) {
    const day = 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7;
    if (day <= count) weekdays |= 1 << day;
  }
  // Bit 0 is no day, and days after the end of the month are cut off.
  const inMonth = count === 31 ? -2 : (1 << (count + 1)) - 2;
  return (fields.isEither ? days | weekdays : days & weekdays) & inMonth;
}

/** Bits 0, 7, 14, 21 and 28. */
const everyWeek = 0x1020_4081;
