import { isExactNumber, parseExact, priorities, taskStates } from "@svc/client";
import { durationRule, momentRule, readDuration, readMoment } from "@svc/client/task-query";
import { CliError } from "./exit-codes.ts";

/** Values of options, read from their text. Each throws CliError `usage` for a text that is none. */

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
export function instant(option: string, text: string): string {
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
  state: { type: "string", value: "STATE", help: `one of ${taskStates.join(", ")}` },
  queue: { type: "string", value: "NAME", help: "in exactly this queue" },
  name: { type: "string", value: "TEXT", help: "with this text in the name" },
  search: { type: "string", value: "TEXT", help: "with this text in name, queue, worker or task id" },
  priority: { type: "string", value: "LIST", help: `of these, with commas: ${priorities.join(", ")}` },
  since: { type: "string", value: "TIME", help: "received then or later: an instant, or a time ago such as 2h" },
  until: { type: "string", value: "TIME", help: "received then or before" },
} as const;

type FilterName = keyof typeof filterOptions;

export function readFilters(words: Readonly<Partial<Record<FilterName, string | undefined>>>) {
  const { state, queue, name, search, priority, since, until } = words;
  return {
    ...(state !== undefined && { state: oneOf("state", state, taskStates) }),
    ...(queue !== undefined && { queue }),
    ...(name !== undefined && { name }),
    ...(search !== undefined && { search }),
    ...(priority !== undefined && {
      priority: priority.split(",").map((word) => oneOf("priority", word.trim(), priorities)),
    }),
    ...(since !== undefined && { since: instant("since", since) }),
    ...(until !== undefined && { until: instant("until", until) }),
  };
}

/** The one word that must follow, and nothing else. */
export function requireWord(positionals: readonly string[], what: string): string {
  const [word] = positionals;
  if (word === undefined || word === "") throw new CliError("usage", `name the ${what}`);
  return word;
}
