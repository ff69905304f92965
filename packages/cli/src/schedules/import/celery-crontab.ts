import { UnsupportedEntry } from "./conversion.ts";
import { expandField, type FieldRange, fieldRanges, isComplete, printValues } from "./cron-values.ts";

/** The fields of Celery's crontab. An absent one matches every value. Each is a number, a text or a list of numbers. */
export interface CeleryCrontab {
  readonly minute?: unknown;
  readonly hour?: unknown;
  readonly day_of_month?: unknown;
  readonly month_of_year?: unknown;
  readonly day_of_week?: unknown;
}

interface Field {
  /** As svc writes it. */
  readonly text: string;
  readonly values: readonly number[];
}

/**
 * The cron expression that fires when Celery's crontab does. Celery needs the day of month and the day of week to match, svc either of them, so
 * most combinations of both are refused.
 *
 * @throws UnsupportedEntry
 */
export function cronOfCelery(given: CeleryCrontab): string {
  const { minute, hour, day, month, weekday } = fieldRanges;
  const date = dateFields(readField(given.day_of_month, day), readField(given.day_of_week, weekday));
  const [minutes, hours, months] = [
    readField(given.minute, minute),
    readField(given.hour, hour),
    readField(given.month_of_year, month),
  ];
  return [minutes.text, hours.text, date.day, months.text, date.weekday].join(" ");
}

function readField(given: unknown, range: FieldRange): Field {
  const list = Array.isArray(given) ? given : [given ?? "*"];
  if (list.length === 0) throw new UnsupportedEntry(`its ${range.name} has no value`);
  if (!list.every((one) => typeof one === "number" || typeof one === "string"))
    throw new UnsupportedEntry(`its ${range.name} is neither a number, a text nor a list of them`);
  const source = list.join(",");
  const values = expandField(source, range);
  if (isComplete(values, range)) return { text: "*", values };
  return { text: isPlain(source) ? source : printValues(values), values };
}

/** Whether svc reads the text of a field as Celery does: digits only, and no range that wraps around. */
const isPlain = (text: string): boolean =>
  /^[\d*,/-]+$/.test(text) &&
  text.split(",").every((part) => {
    const [from, to] = part.split("/")[0]!.split("-").map(Number);
    return to === undefined || from! <= to;
  });

function dateFields(day: Field, weekday: Field): { day: string; weekday: string } {
  // In svc a field that begins with `*` has to match as well.
  if (day.text.startsWith("*") || weekday.text.startsWith("*")) return { day: day.text, weekday: weekday.text };
  const weeks = weeksOf(day.values);
  if (weeks !== null)
    return { day: "*", weekday: weekday.values.flatMap((one) => weeks.map((week) => `${one}#${week}`)).join(",") };
  throw new UnsupportedEntry(
    "it fires when day of month and day of week both match, which svc supports only for whole weeks such as 1-7",
  );
}

/** The weeks of a month that these days are exactly: `[1, 3]` for 1-7 and 15-21. Null for other days. */
function weeksOf(days: readonly number[]): number[] | null {
  const weeks: number[] = [];
  for (const week of [1, 2, 3, 4, 5]) {
    const first = week * 7 - 6;
    const expected = Array.from({ length: Math.min(7, 31 - first + 1) }, (_, index) => first + index);
    const count = expected.filter((day) => days.includes(day)).length;
    if (count !== 0 && count !== expected.length) return null;
    if (count > 0) weeks.push(week);
  }
  return weeks;
}
