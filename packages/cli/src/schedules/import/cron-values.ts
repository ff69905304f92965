import { UnsupportedEntry } from "./conversion.ts";

/** The values of one field of a cron expression. */
export interface FieldRange {
  readonly name: string;
  readonly low: number;
  readonly high: number;
}

export const fieldRanges = {
  minute: { name: "minute", low: 0, high: 59 },
  hour: { name: "hour", low: 0, high: 23 },
  day: { name: "day of month", low: 1, high: 31 },
  month: { name: "month", low: 1, high: 12 },
  weekday: { name: "day of week", low: 0, high: 6 },
} as const satisfies Record<string, FieldRange>;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** A list of all minutes has 169 characters. */
const maxFieldLength = 200;

/**
 * The values of a list of `*`, `a`, `a-b` and steps, in ascending order. A range that ends before it begins wraps around, as in Celery.
 *
 * @throws UnsupportedEntry
 */
export function expandField(text: string, range: FieldRange): number[] {
  if (text.length > maxFieldLength) throw new UnsupportedEntry(`its ${range.name} is too long`);
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [span = "", step = "1", ...more] = part.trim().split("/");
    const stride = /^\d{1,4}$/.test(step) ? Number(step) : 0;
    if (more.length > 0 || stride < 1) throw refusal(part, range);
    for (const [index, value] of spanOf(span, range).entries()) if (index % stride === 0) values.add(value);
  }
  return [...values].sort((first, second) => first - second);
}

function spanOf(text: string, range: FieldRange): number[] {
  const size = range.high - range.low + 1;
  if (text === "*") return Array.from({ length: size }, (_, index) => range.low + index);
  const [from = "", to = from, ...more] = text.split("-");
  if (more.length > 0) throw refusal(text, range);
  const first = readValue(from, range);
  const last = readValue(to, range);
  const length = first <= last ? last - first + 1 : size - first + last + 1;
  return Array.from({ length }, (_, index) => range.low + ((first - range.low + index) % size));
}

function readValue(text: string, range: FieldRange): number {
  const isWeekday = range === fieldRanges.weekday;
  const named = isWeekday ? weekdays.indexOf(text.slice(0, 3).toLowerCase()) : -1;
  const value = named >= 0 ? named : /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (isWeekday && value === 7) return 0;
  if (value < range.low || value > range.high) throw refusal(text, range);
  return value;
}

const refusal = (text: string, { name, low, high }: FieldRange) =>
  new UnsupportedEntry(`its ${name} "${text.slice(0, 40)}" is not a list of values from ${low} to ${high}`);

/** `1-3,7` for 1, 2, 3 and 7. */
export function printValues(values: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const value of values) {
    const open = spans.at(-1);
    if (open !== undefined && open[1] === value - 1) open[1] = value;
    else spans.push([value, value]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

export const isComplete = (values: readonly number[], { low, high }: FieldRange): boolean =>
  values.length === high - low + 1;
