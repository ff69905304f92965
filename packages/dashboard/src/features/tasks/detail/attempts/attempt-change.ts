import { duration, printable } from "../../../../ui/time/format.ts";
import { placeOf, readTrace, shortException } from "../family/trace.ts";
import type { Attempt } from "./attempts.ts";

export interface Change {
  field: string;
  from: string;
  to: string;
}

export interface AttemptChange {
  from: Attempt;
  to: Attempt;
  changed: Change[];
  /** Fields that both tell of, alike. */
  same: string[];
}

/** Two runs are called different from this factor on; anything smaller is the usual spread. */
const runFactor = 1.5;

/**
 * The facts in which two attempts differ: the one that succeeded against the last that failed, or when none did, the last
 * failed one against the first. Null when there are no two to compare.
 */
export function attemptChange(attempts: readonly Attempt[]): AttemptChange | null {
  const ended = attempts.filter((attempt) => attempt.endedAt !== null);
  const failed = ended.filter((attempt) => attempt.state !== "success");
  const won = ended.findLast((attempt) => attempt.state === "success");
  const from = won ? failed.findLast((attempt) => attempt.number < won.number) : failed[0];
  const to = won ?? failed.at(-1);
  if (!from || !to || from === to) return null;

  const changed: Change[] = [];
  const same: string[] = [];
  const compare = (field: string, before: string | null, after: string | null) => {
    if (before === null && after === null) return;
    if (before === after) same.push(field);
    else changed.push({ field, from: before ?? "none", to: after ?? "none" });
  };
  compare("worker", from.worker && printable(from.worker), to.worker && printable(to.worker));
  if (from.runMs !== null && to.runMs !== null) {
    const [short, long] = [from.runMs, to.runMs].sort((a, b) => a - b) as [number, number];
    if (long > short * runFactor) changed.push({ field: "run", from: duration(from.runMs), to: duration(to.runMs) });
    else same.push("run time");
  }
  if (to.state !== "success") {
    compare("error", errorOf(from), errorOf(to));
    compare("place", attemptPlace(from), attemptPlace(to));
  }
  return { from, to, changed, same };
}

function errorOf(attempt: Attempt): string | null {
  return attempt.exception === null ? null : printable(shortException(attempt.exception)).slice(0, 120);
}

/** `gateway.py:87`, where the attempt's own code failed; null without a traceback that names it. */
export function attemptPlace(attempt: Attempt): string | null {
  return attempt.traceback === null ? null : placeOf(readTrace(attempt.traceback));
}
