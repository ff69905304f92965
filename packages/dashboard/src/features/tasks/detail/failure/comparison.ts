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

/**
 * The stretch of time in which a task is compared with others: the chosen range, when the task lies in it and it has a
 * beginning; else a day with the task in its middle.
 */
export function comparedRange(receivedAt: string, chosen: ChosenRange): { params: AddressRange; label: string } {
  const { sinceMs, untilMs, label } = chosen;
  const at = Date.parse(receivedAt);
  if (sinceMs !== null && untilMs - sinceMs <= longestMs && sinceMs <= at && at <= untilMs) {
    return { params: rangeParams(chosen), label };
  }
  const around = { sinceMs: at - dayMs / 2, untilMs: at + dayMs / 2, isOpen: false };
  return { params: rangeParams(around), label: "24 h around this task" };
}

/** Below this no value can be carried by enough failed tasks to be told. */
const fewestFailed = 5;

/** Why there is nothing to compare; null when there is. */
export function nothingToCompare({ failed, passed }: TaskDifferences): string | null {
  if (failed < fewestFailed) {
    return `${failed === 1 ? "Only 1 task of this name failed" : `Only ${failed} tasks of this name failed`}: too few to compare, which takes ${fewestFailed}.`;
  }
  if (passed === 0) return "No task of this name passed, so there is nothing to compare with.";
  return null;
}

/** `88 failed and 1,912 passed tasks of this name`; a sample says so. */
export function sampleText({ failed, passed, sampled }: TaskDifferences): string {
  return `${sampled ? "A sample of " : ""}${count(failed)} failed and ${count(passed)} passed tasks of this name`;
}

/** What a found value is in the address of the task list; null for values that it has no filter for. */
export function filterOf(field: string, value: string): Record<string, string> | null {
  if (field === "queue" || field === "worker" || field === "priority") return { [field]: value };
  if (field === "release") return { q: `release:${quoted(value)}` };
  return /^(kw)?args[.[]/.test(field) ? { q: pathTerm(field, value) } : null;
}

/** `16` of the field hour is an hour of the day, in UTC. */
export function valueText(field: string, value: string): string {
  if (field !== "hour") return value;
  const hour = Number(value);
  const clock = (one: number) => `${String(one % 24).padStart(2, "0")}:00`;
  return `${clock(hour)} to ${clock(hour + 1)} UTC`;
}
