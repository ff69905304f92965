/**
 * Instants on the wire: ISO 8601 with millisecond precision. Further digits are cut off, not rounded. Values are milliseconds since the
 * Unix epoch, years 0001 to 9999.
 */
export interface InstantOptions {
  /** How to read a text without `Z` or an offset. `required`: it is invalid. `utc`: it is UTC. */
  readonly zone: "required" | "utc";
}

const instantForm =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?:[Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?)?$/;
const longestText = 64;
const firstMs = Date.parse("0001-01-01T00:00:00.000Z");
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Reads `count` decimal digits. NaN when a character is not a digit. */
function digitsAt(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Fast path for the form that agents send, `2026-01-02T03:04:05.678Z`: every event has it, so it is read without a regular expression. Null
 * for any other form or an out-of-range value, which the general parser handles.
 */
function readPrinted(text: string): number | null {
  if (text.length !== 24 || text.charCodeAt(23) !== 90 || text.charCodeAt(10) !== 84) return null;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(19) !== 46) return null;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return null;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  const second = digitsAt(text, 17, 2);
  const ms = digitsAt(text, 20, 3);
  // Date.UTC reads years below 100 as 19xx. Every comparison is false for NaN.
  const isDate = year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || !(hour <= 23 && minute <= 59 && second <= 59 && ms <= 999)) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** Milliseconds since the epoch, or null when the text is not an instant (a bare date, a day that does not exist, second 60). */
export function readInstant(text: unknown, { zone }: InstantOptions): number | null {
  if (typeof text !== "string" || text.length > longestText) return null;
  const printed = readPrinted(text);
  if (printed !== null) return printed;
  const parts = instantForm.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second = "0", fraction = "", sign, offsetHour = "0", offsetMinute = "0"] =
    parts;
  const last = text.charCodeAt(text.length - 1) | 32;
  if (zone === "required" && sign === undefined && last !== 122) return null;
  const y = Number(year);
  const m = Number(month);
  const d = Number(day);
  const h = Number(hour);
  const min = Number(minute);
  const s = Number(second);
  if (m < 1 || m > 12 || d < 1 || d > daysInMonth(y, m) || h > 23 || min > 59 || s > 59) return null;
  const oh = Number(offsetHour);
  const om = Number(offsetMinute);
  if (oh > 23 || om > 59) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const at = new Date(0);
  at.setUTCFullYear(y, m - 1, d);
  const offsetMs = (oh * 60 + om) * 60_000 * (sign === "-" ? -1 : 1);
  const value = at.getTime() + ((h * 60 + min) * 60 + s) * 1_000 + ms - offsetMs;
  return value >= firstMs && value <= lastMs ? value : null;
}

/** An instant with three decimals and `Z`, the form in which svc prints every instant. */
export function msInstant(at: Date | number): string {
  return (typeof at === "number" ? new Date(at) : at).toISOString();
}
