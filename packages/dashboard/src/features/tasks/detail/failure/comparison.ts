import type { TaskDifferences } from "@svc/client";
import { quoted } from "@svc/client/task-query";
import { rangeParams } from "../../../../address/range-bounds.ts";
import type { AddressRange } from "../../../../address/range-text.ts";
import { count } from "../../../../ui/time/format.ts";
import { pathTerm } from "./search-terms.ts";

const dayMs = 86_400_000;
/** As the API has it; a longer one is refused. */
const longestMs = 90 * dayMs;

interface ChosenRange {
  sinceMs: number | null;
  untilMs: number;
  isOpen: boolean;
  label: string;
}

/** What is compared with passed tasks: the failures of a task name or of an issue. */
export type Compared = { readonly name: string } | { readonly fingerprint: string };

const isIssue = (compared: Compared): boolean => "fingerprint" in compared;

/** The time span of a comparison: the chosen range, when it has a start and holds the failure at `failedAt`; else the day around it. */
export function comparedRange(failedAt: string, chosen: ChosenRange): { params: AddressRange; label: string } {
  const { sinceMs, untilMs, label } = chosen;
  const at = Date.parse(failedAt);
  if (sinceMs !== null && untilMs - sinceMs <= longestMs && sinceMs <= at && at <= untilMs) {
    return { params: rangeParams(chosen), label };
  }
  const around = { sinceMs: at - dayMs / 2, untilMs: at + dayMs / 2, isOpen: false };
  return { params: rangeParams(around), label: "24 h around this failure" };
}

/** A value has to be in as many failures to be shown. */
const fewestFailed = 5;

const failures = (failed: number): string => `${count(failed)} ${failed === 1 ? "failure" : "failures"}`;
const passes = (passed: number): string => `${count(passed)} ${passed === 1 ? "pass" : "passes"}`;

/** Why there is nothing to compare; null when there is. */
export function nothingToCompare({ failed, passed }: TaskDifferences, label: string): string | null {
  if (failed < fewestFailed) return `${failures(failed)} (${label}). A comparison needs at least ${fewestFailed}.`;
  if (passed === 0) return `No passes of the same task name to compare with (${label}).`;
  return null;
}

/** What is compared with what, in one sentence. */
export function comparisonText(
  { failed, passed, sampled }: TaskDifferences,
  compared: Compared,
  label: string,
): string {
  const [whose, same] = isIssue(compared) ? ["this issue", "task name"] : ["this task name", "name"];
  const evenly = sampled ? ", sampled evenly by hour" : "";
  return `${failures(failed)} of ${whose} compared with ${passes(passed)} of the same ${same} (${label}${evenly}).`;
}

/** Releases of different hours differ as their hours do, so they are not compared. */
export const releaseText = ({ releases, release_overlap: overlap }: TaskDifferences): string | null =>
  releases > 1 && !overlap ? "Releases are not compared: they did not run in the same hours." : null;

/** What a found value is in the address of the task list; null for values that it has no filter for. */
export function filterOf(field: string, value: string): Record<string, string> | null {
  if (field === "queue" || field === "worker" || field === "priority") return { [field]: value };
  if (field === "release") return { q: `release:${quoted(value)}` };
  return /^(kw)?args[.[]/.test(field) ? { q: pathTerm(field, value) } : null;
}
