import { plural, type TaskDifferences } from "@svc/client";
import { quoted } from "@svc/client/task-query";
import { rangeParams } from "../../../../address/range-bounds.ts";
import type { AddressRange } from "../../../../address/range-text.ts";
import { pathTerm } from "./search-terms.ts";

const dayMs = 86_400_000;
/** The API rejects longer ranges. */
const longestMs = 90 * dayMs;

interface ChosenRange {
  sinceMs: number | null;
  untilMs: number;
  isOpen: boolean;
  label: string;
}

/** The failures to compare with succeeded tasks: those of a task name or of an issue. */
export type Compared = { readonly name: string } | { readonly fingerprint: string };

const isIssue = (compared: Compared): boolean => "fingerprint" in compared;

/** The time range of a comparison: the selected range if it has a start and includes `failedAt`, else 24 hours around it. */
export function comparedRange(failedAt: string, chosen: ChosenRange): { params: AddressRange; label: string } {
  const { sinceMs, untilMs, label } = chosen;
  const at = Date.parse(failedAt);
  if (sinceMs !== null && untilMs - sinceMs <= longestMs && sinceMs <= at && at <= untilMs) {
    return { params: rangeParams(chosen), label };
  }
  const around = { sinceMs: at - dayMs / 2, untilMs: at + dayMs / 2, isOpen: false };
  return { params: rangeParams(around), label: "24 h around this failure" };
}

/** Minimum number of failures for a comparison. */
const fewestFailed = 5;

const failures = (failed: number): string => plural(failed, "failure");
const successes = (passed: number): string => plural(passed, "success", "successes");

/** Why a comparison is not possible; null if it is. */
export function nothingToCompare({ failed, passed }: TaskDifferences, label: string): string | null {
  if (failed < fewestFailed) return `${failures(failed)} (${label}). A comparison needs at least ${fewestFailed}.`;
  if (passed === 0) return `No successes of the same task name to compare with (${label}).`;
  return null;
}

/** One sentence about the two compared groups. */
export function comparisonText(
  { failed, passed, sampled }: TaskDifferences,
  compared: Compared,
  label: string,
): string {
  const [whose, same] = isIssue(compared) ? ["this issue", "task name"] : ["this task name", "name"];
  const evenly = sampled ? ", sampled evenly by hour" : "";
  return `${failures(failed)} of ${whose} compared with ${successes(passed)} of the same ${same} (${label}${evenly}).`;
}

/** Releases that ran at different hours are not compared: other differences between those hours would distort the result. */
export const releaseText = ({ releases, release_overlap: overlap }: TaskDifferences): string | null =>
  releases > 1 && !overlap ? "Releases ran at different hours, so they are not compared." : null;

/** The task list filter for a found value; null if the list has no such filter. */
export function filterOf(field: string, value: string): Record<string, string> | null {
  if (field === "queue" || field === "worker" || field === "priority") return { [field]: value };
  if (field === "release") return { q: `release:${quoted(value)}` };
  return /^(kw)?args[.[]/.test(field) ? { q: pathTerm(field, value) } : null;
}
