import { CadenceError, compileCadence, requireSlot } from "@svc/cadence";
import { parseExact, type ScheduleCreate } from "@svc/client";
import { CliError } from "../../command-line/exit-codes.ts";

/** A schedule as the service accepts it. Absent fields have the defaults of the service; an absent state stays as it is. */
export type ScheduleDraft = Readonly<
  ScheduleCreate & Required<Pick<ScheduleCreate, "timezone" | "args" | "kwargs">> & { queue?: string }
>;

/** A statement about one line or entry of the input. */
export interface Finding {
  /** `line 4`, or the name of the entry. */
  readonly at: string;
  readonly text: string;
}

/** What a file contains: schedules, entries that can't be imported, and parts of entries that are left out. */
export interface Conversion {
  readonly schedules: readonly ScheduleDraft[];
  /** The first 1,000. */
  readonly problems: readonly Finding[];
  readonly problemCount: number;
  /** The first 1,000. */
  readonly notes: readonly Finding[];
}

export const maxInputBytes = 8 << 20;
const maxSchedules = 20_000;
/** A file with more invalid entries is probably of another format. */
const maxProblems = 10_000;
const maxFindings = 1000;
const maxArgumentBytes = 64 << 10;
const longest = { name: 200, engine: 40, expression: 1024, task_name: 500, queue: 200, source: 64 } as const;

/** Why one entry can't be imported, as a phrase such as `it has no task`. */
export class UnsupportedEntry extends Error {}

/** Collects the schedules of a file. `now` decides whether a schedule ever fires, in milliseconds since 1970. */
export function startConversion(now: number) {
  const schedules: ScheduleDraft[] = [];
  const names = new Set<string>();
  const problems: Finding[] = [];
  const notes: Finding[] = [];
  const noted = new Set<string>();
  let problemCount = 0;

  /** @throws CliError `failed` for too many */
  function refuse(at: string, text: string): void {
    problemCount += 1;
    if (problemCount > maxProblems)
      throw new CliError(
        "failed",
        `more than ${maxProblems.toLocaleString("en")} entries can't be imported. First, ${problems[0]?.at}: ${problems[0]?.text}`,
      );
    if (problems.length < maxFindings) problems.push({ at, text });
  }

  return {
    refuse,
    /** Reports something that is left out. `once` reports only the first finding with this text. */
    note(at: string, text: string, { once = false } = {}): void {
      if (once && noted.has(text)) return;
      noted.add(text);
      if (notes.length < maxFindings) notes.push({ at, text });
    },
    /** Adds the schedule that `convert` returns, or reports why the entry can't be imported. */
    entry(at: string, convert: () => ScheduleDraft): void {
      try {
        const draft = convert();
        requireValid(draft, now);
        if (names.has(draft.name)) throw new UnsupportedEntry(`an earlier entry has the name "${draft.name}"`);
        if (schedules.length === maxSchedules)
          throw new CliError("failed", `the input has more than ${maxSchedules.toLocaleString("en")} schedules`);
        names.add(draft.name);
        schedules.push(draft);
      } catch (cause) {
        if (!(cause instanceof UnsupportedEntry || cause instanceof CadenceError)) throw cause;
        refuse(at, cause.message);
      }
    },
    done: (): Conversion => ({ schedules, problems, problemCount, notes }),
  };
}

export type ConversionInProgress = ReturnType<typeof startConversion>;

/** @throws UnsupportedEntry or CadenceError for what the service refuses */
function requireValid(draft: ScheduleDraft, now: number): void {
  for (const [field, limit] of Object.entries(longest)) {
    const text = draft[field as keyof typeof longest];
    if (text === undefined) continue;
    if (text.trim() === "") throw new UnsupportedEntry(`its ${field} is empty`);
    if (text.length > limit) throw new UnsupportedEntry(`its ${field} has more than ${limit} characters`);
    if (/\p{Cc}/u.test(text)) throw new UnsupportedEntry(`its ${field} contains control characters`);
  }
  for (const field of ["args", "kwargs"] as const) {
    if (Buffer.byteLength(JSON.stringify(draft[field])) > maxArgumentBytes)
      throw new UnsupportedEntry(`its ${field} take more than 64 KiB`);
  }
  const reserved = Object.keys(draft.kwargs).find((name) => name.startsWith("__svc_"));
  if (reserved !== undefined)
    throw new UnsupportedEntry(`its kwargs have the reserved name "${reserved.slice(0, 40)}"`);
  requireSlot(compileCadence(draft), now);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @throws CliError `failed` for a text that is too large or not JSON */
export function readJson(text: string): unknown {
  requireSize(text);
  try {
    return parseExact(text);
  } catch (cause) {
    throw new CliError("failed", `the input is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** @throws CliError `failed` */
export function requireSize(text: string): void {
  if (Buffer.byteLength(text) > maxInputBytes) throw new CliError("failed", "the input is larger than 8 MiB");
}

/** Lists given options that svc doesn't have, as a note. */
export function noteLeftOut(conversion: ConversionInProgress, at: string, names: readonly string[]): void {
  if (names.length > 0) conversion.note(at, `left out: ${names.join(", ")}`);
}
