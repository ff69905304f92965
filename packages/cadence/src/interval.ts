import { CadenceError } from "./cadence-error.ts";

const maximumSeconds = 31_536_000;

/** Whole seconds from one slot to the next. @throws CadenceError `invalid_interval` */
export function readInterval(expression: string): number {
  const text = expression.trim();
  const seconds = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > maximumSeconds) {
    throw new CadenceError("invalid_interval", "an interval is a whole number of seconds, 1 to 31536000 (one year)");
  }
  return seconds;
}
