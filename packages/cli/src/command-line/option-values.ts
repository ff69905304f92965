import { isExactNumber, parseExact, priorities, taskStates } from "@svc/client";
import { durationRule, momentRule, readDuration, readMoment } from "@svc/client/task-query";
import { type CommandOptions, flag, type OptionValues, text } from "./command.ts";
import { CliError } from "./exit-codes.ts";

/** Options that several commands have, and their values, read from their text. Each reader throws CliError `usage` for a text that is none. */

export const jsonOption = { json: flag("one JSON document") } as const satisfies CommandOptions;

/** Of a command that lists one page of the service. */
export const listOptions = {
  limit: text("N", "at most so many, newest first, up to 500 (default 50)"),
  cursor: text("CURSOR", "go on where a list ended"),
  json: flag("one JSON document: items and next_cursor"),
} as const satisfies CommandOptions;

export const readListOptions = ({ limit = "50", cursor }: OptionValues<typeof listOptions>) => ({
  limit: wholeNumber("limit", limit, { min: 1, max: 500 }),
  ...defined({ cursor }),
});

/** Without the entries that are undefined: of options that were not given nothing is said to the service. */
export function defined<T extends object>(entries: T) {
  const given = Object.entries(entries).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

export function wholeNumber(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new CliError("usage", `--${option} is a whole number, ${min} to ${max}`);
  return value;
}

export function oneOf<const T extends string>(option: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new CliError("usage", `--${option} is one of ${words.join(", ")}`);
  return found;
}

/** An RFC 3339 instant from one, or from a time ago such as 2h. */
function instant(option: string, text: string): string {
  const moment = readMoment(text);
  if (moment === null) throw new CliError("usage", `--${option} ${momentRule}`);
  return new Date(moment.kind === "at" ? moment.epochMs : Date.now() - moment.agoMs).toISOString();
}

/** Whole seconds from a duration such as 10m. */
export function seconds(option: string, text: string, { max }: { max: number }): number {
  const durationMs = readDuration(text);
  if (durationMs === null) throw new CliError("usage", `--${option} ${durationRule}`);
  if (durationMs > max * 1000) throw new CliError("usage", `--${option} is ${max} s at most`);
  return Math.round(durationMs / 1000);
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** Numbers that no double holds keep their digits. */
export function json(option: string, text: string, kind: "array" | "object"): unknown {
  try {
    const value = parseExact(text);
    if (kind === "array" ? Array.isArray(value) : isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new CliError("usage", `--${option} is a JSON ${kind}`);
}

/** Options that say which tasks are meant, alike for a list and for a retry of all of them. */
export const filterOptions = {
  state: text("STATE", `one of ${taskStates.join(", ")}`),
  queue: text("NAME", "in exactly this queue"),
  name: text("TEXT", "with this text in the name"),
  search: text("TEXT", "with this text in name, queue, worker or task id"),
  priority: text("LIST", `of these, with commas: ${priorities.join(", ")}`),
  since: text("TIME", "received then or later: an instant, or a time ago such as 2h"),
  until: text("TIME", "received then or before"),
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

/** The first word that must stand beside the options. */
export function requireWord([word]: readonly string[], what: string): string {
  if (word === undefined || word === "") throw new CliError("usage", `name the ${what}`);
  return word;
}
