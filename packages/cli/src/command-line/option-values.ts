import { isExactNumber, parseExact, priorities, taskStates } from "@svc/client";
import { durationRule, momentRule, readDuration, readMoment } from "@svc/client/task-query";
import { type CommandOptions, flag, type OptionValues, text } from "./command.ts";
import { CliError } from "./exit-codes.ts";

/** Options of several commands and the readers of their values. Each reader throws CliError `usage` for an invalid text. */

export const jsonOption = { json: flag("print one JSON document") } as const satisfies CommandOptions;

/** Options of commands that list one page. */
export const listOptions = {
  limit: text("N", "maximum number of rows, newest first, up to 500 (default 50)"),
  cursor: text("CURSOR", "continue after the last page"),
  json: flag("print one JSON document with items and next_cursor"),
} as const satisfies CommandOptions;

export const readListOptions = ({ limit = "50", cursor }: OptionValues<typeof listOptions>) => ({
  limit: wholeNumber("limit", limit, { min: 1, max: 500 }),
  ...defined({ cursor }),
});

/** Removes undefined entries, so that only given options are sent. */
export function defined<T extends object>(entries: T) {
  const given = Object.entries(entries).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

export function wholeNumber(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new CliError("usage", `--${option} must be a whole number from ${min} to ${max}`);
  return value;
}

export function oneOf<const T extends string>(option: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new CliError("usage", `--${option} must be one of ${words.join(", ")}`);
  return found;
}

/** An RFC 3339 instant, given as such or as a duration before now, such as 2h. */
function instant(option: string, text: string): string {
  const moment = readMoment(text);
  if (moment === null) throw new CliError("usage", `--${option} ${momentRule}`);
  return new Date(moment.kind === "at" ? moment.epochMs : Date.now() - moment.agoMs).toISOString();
}

/** Whole seconds of a duration such as 10m. */
export function seconds(option: string, text: string, { max }: { max: number }): number {
  const durationMs = readDuration(text);
  if (durationMs === null) throw new CliError("usage", `--${option} ${durationRule}`);
  if (durationMs > max * 1000) throw new CliError("usage", `--${option} must be at most ${max} s`);
  return Math.round(durationMs / 1000);
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** Numbers beyond double precision keep their digits. */
export function json(option: string, text: string, kind: "array" | "object"): unknown {
  try {
    const value = parseExact(text);
    if (kind === "array" ? Array.isArray(value) : isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new CliError("usage", `--${option} must be a JSON ${kind}`);
}

/** Options that select tasks, for lists and bulk retries. */
export const filterOptions = {
  state: text("STATE", `only this state: ${taskStates.join(", ")}`),
  queue: text("NAME", "only the queue with exactly this name"),
  name: text("TEXT", "only tasks whose name contains this text"),
  search: text("TEXT", "only tasks whose name, queue, worker or id contains this text"),
  priority: text("LIST", `only these priorities, comma-separated: ${priorities.join(", ")}`),
  since: text("TIME", "received at or after a time such as 2026-11-01T12:30Z, or a duration ago such as 2h"),
  until: text("TIME", "received at or before a time, or a duration ago"),
} as const satisfies CommandOptions;

export function readFilters(given: OptionValues<typeof filterOptions>) {
  const { state, queue, name, search, priority, since, until } = given;
  return defined({
    state: state === undefined ? undefined : oneOf("state", state, taskStates),
    queue,
    name,
    search,
    priority: priority?.split(",").map((word) => oneOf("priority", word.trim(), priorities)),
    since: since === undefined ? undefined : instant("since", since),
    until: until === undefined ? undefined : instant("until", until),
  });
}

/** The first positional word, which is required. */
export function requireWord([word]: readonly string[], what: string): string {
  if (word === undefined || word === "") throw new CliError("usage", `missing ${what}`);
  return word;
}
