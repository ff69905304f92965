import { CadenceError } from "../cadence-error.ts";

/** Parses cron expressions: five fields `minute hour day month weekday`, or six with the seconds last. */

/** Days of a month that an expression names; month and year decide which dates these are. */
export interface DayFields {
  /** Bit n is day n. */
  readonly days: number;
  readonly hasLastDay: boolean;
  /** Bit n is weekday n; 0 is Sunday. */
  readonly weekdays: number;
  /** `[weekday, n]` is the nth of that weekday in the month. */
  readonly nths: readonly (readonly [weekday: number, nth: number])[];
  /** Whether day and weekday are both restricted, so that either matches. */
  readonly isEither: boolean;
}

export interface CronFields extends DayFields {
  /** For each value the next allowed one that is not lower, or -1. */
  readonly nextSecond: Int8Array;
  readonly nextMinute: Int8Array;
  readonly nextHour: Int8Array;
  /** Bit n is month n. */
  readonly months: number;
}

interface FieldRange {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const ranges = {
  second: { name: "second", low: 0, high: 59 },
  minute: { name: "minute", low: 0, high: 59 },
  hour: { name: "hour", low: 0, high: 23 },
  day: { name: "day", low: 1, high: 31 },
  month: {
    name: "month",
    low: 1,
    high: 12,
    names: ["", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  weekday: { name: "weekday", low: 0, high: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
} as const satisfies Record<string, FieldRange>;

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const refuse = (message: string) => new CadenceError("invalid_cron", message);

/** @throws CadenceError `invalid_cron`, with the field and the part that is wrong */
export function readCron(expression: string): CronFields {
  const text = expression.trim();
  const fields = (macros.get(text.toLowerCase()) ?? text).split(/\s+/);
  if (text.startsWith("@") && !macros.has(text.toLowerCase())) {
    throw refuse(`${shortened(text)} is not one of ${[...macros.keys()].join(", ")}`);
  }
  if (fields.length !== 5 && fields.length !== 6) {
    const count = text === "" ? 0 : fields.length;
    throw refuse(`a cron expression has 5 fields, or 6 with the seconds last; this one has ${count}`);
  }
  const [minute = "", hour = "", day = "", month = "", weekday = "", second = "0"] = fields;
  const { days, hasLastDay } = readDays(day);
  const { weekdays, nths } = readWeekdays(weekday);
  return {
    nextSecond: nextTable(readField(second, ranges.second), 60),
    nextMinute: nextTable(readField(minute, ranges.minute), 60),
    nextHour: nextTable(readField(hour, ranges.hour), 24),
    months: bitsOf(readField(month, ranges.month)),
    days,
    hasLastDay,
    weekdays,
    nths,
    isEither: !day.startsWith("*") && !weekday.startsWith("*"),
  };
}

function readDays(text: string): { days: number; hasLastDay: boolean } {
  const parts = text.split(",");
  const others = parts.filter((part) => part.toUpperCase() !== "L");
  return {
    days: others.length === 0 ? 0 : bitsOf(readField(others.join(","), ranges.day)),
    hasLastDay: others.length < parts.length,
  };
}

function readWeekdays(text: string): Pick<DayFields, "weekdays" | "nths"> {
  const nths: [number, number][] = [];
  const others: string[] = [];
  for (const part of text.split(",")) {
    if (!part.includes("#")) {
      others.push(part);
      continue;
    }
    const [name = "", nth = "", ...more] = part.split("#");
    if (more.length > 0 || !/^[1-5]$/.test(nth)) {
      throw refuse(`weekday: ${shortened(part)} is not a weekday and its position 1 to 5, such as 1#2`);
    }
    nths.push([readValue(name, ranges.weekday) % 7, Number(nth)]);
  }
  const values = others.length === 0 ? [] : readField(others.join(","), ranges.weekday);
  return { weekdays: bitsOf(values.map((value) => value % 7)), nths };
}

/** The values of a list of `*`, `*` with a step, `a`, `a-b`, `a/n` and `a-b/n`. */
function readField(text: string, range: FieldRange): number[] {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [span = "", stepText, ...more] = part.split("/");
    if (more.length > 0 || stepText === "") throw refuse(`${range.name}: ${shortened(part)} has no valid step`);
    const step = stepText === undefined ? 1 : readNumber(stepText, range);
    if (step < 1) throw refuse(`${range.name}: the step in ${shortened(part)} must be at least 1`);
    const [from, to] = readSpan(span, stepText !== undefined, range);
    if (from > to) throw refuse(`${range.name}: ${shortened(part)} ends before it begins`);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return [...values];
}

function readSpan(text: string, hasStep: boolean, range: FieldRange): readonly [number, number] {
  // Of the weekdays 0 to 7, both ends are Sunday.
  const last = range === ranges.weekday ? 6 : range.high;
  if (text === "*") return [range.low, last];
  const [from = "", to, ...more] = text.split("-");
  if (more.length > 0 || to === "") throw refuse(`${range.name}: ${shortened(text)} is not a range such as 1-5`);
  const first = readValue(from, range);
  if (to !== undefined) {
    const second = readValue(to, range);
    // At the end of a range such as FRI-SUN, Sunday is 7.
    return [first, range === ranges.weekday && first > 0 && second === 0 ? 7 : second];
  }
  return [first, hasStep ? Math.max(first, last) : first];
}

function readValue(text: string, range: FieldRange): number {
  const named = range.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= range.low && text !== "" ? named : readNumber(text, range);
  if (value < range.low || value > range.high) {
    throw refuse(`${range.name}: ${shortened(text)} is not between ${range.low} and ${range.high}`);
  }
  return value;
}

function readNumber(text: string, { name, names }: FieldRange): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const what = names === undefined ? "a number" : `a number or a name such as ${names[1]}`;
  throw refuse(text === "" ? `${name}: a value is missing` : `${name}: ${shortened(text)} is not ${what}`);
}

function nextTable(values: readonly number[], size: number): Int8Array {
  const table = new Int8Array(size).fill(-1);
  let next = -1;
  const allowed = new Set(values);
  for (let value = size - 1; value >= 0; value -= 1) {
    if (allowed.has(value)) next = value;
    table[value] = next;
  }
  return table;
}

const bitsOf = (values: readonly number[]): number => values.reduce((bits, value) => bits | (1 << value), 0);

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
