import type { Scheduler } from "@svc/client";
import { duration, printable } from "../../ui/time/format.ts";

/** Slots that are due for less than this are being fired now. */
const onTimeSeconds = 1;
/** From here on a slot counts as missed, by default. */
const lateSeconds = 60;

export type SchedulerState = "firing" | "standby" | "late" | "failed";

export function schedulerState({ ok, info }: Pick<Scheduler, "ok" | "info">): SchedulerState {
  if (!ok || info === null) return "failed";
  if (!info.leader) return "standby";
  return (info.oldest_due_seconds ?? 0) >= lateSeconds ? "late" : "firing";
}

/** For how long its oldest slot has been due. Only a leader fires, so only it can be late. */
export function lagText({ info }: Pick<Scheduler, "info">): string {
  if (info === null || !info.leader) return "–";
  const seconds = info.oldest_due_seconds;
  if (seconds === undefined) return "not reported";
  return seconds < onTimeSeconds ? "on time" : duration(seconds * 1000);
}

/** Name of the process, or its address when it did not answer. */
export const schedulerName = ({ info, url }: Pick<Scheduler, "info" | "url">): string =>
  printable(info?.instance_id ?? url);
