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
  /** Fields with equal values in both. */
  same: string[];
}

/** Run times count as different from this factor on; smaller differences are normal variation. */
const runFactor = 1.5;

/**
 * The differences between two attempts: the successful one and the last failed one before it or, without a success, the first
 * and the last failed one. Null if there are no two to compare.
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
    if (long > short * runFactor)
      changed.push({ field: "run time", from: duration(from.runMs), to: duration(to.runMs) });
    else same.push("run time");
  }
  if (to.state !== "success") {
    compare("error", errorOf(from), errorOf(to));
    compare("location", attemptPlace(from), attemptPlace(to));
  }
  return { from, to, changed, same };
}

function errorOf(attempt: Attempt): string | null {
  return attempt.exception === null ? null : printable(shortException(attempt.exception)).slice(0, 120);
}

/** Where the attempt's own code failed, such as `gateway.py:87`; null without a traceback. */
export function attemptPlace(attempt: Attempt): string | null {
  return attempt.traceback === null ? null : placeOf(readTrace(attempt.traceback));
}
