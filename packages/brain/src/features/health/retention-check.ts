import type { RetentionGuard, RetentionHold } from "../../platform/retention.ts";
import type { Check } from "./checks.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Whether retention runs; while it is held, why and until when; after a jump of the clock that one pass is skipped for, that jump. */
export const retentionCheck = (retention: Pick<RetentionGuard, "check">): Check => ({
  name: "retention",
  async run() {
    const hold = retention.check();
    return hold === null ? { status: "ok" } : { status: "degraded", detail: detailOf(hold) };
  },
});

function detailOf({ reason, byMs, until }: RetentionHold): string {
  if (until === null)
    return `The system clock moved ${directed(byMs)}: old rows are removed one pass later. Normal after the machine slept.`;
  const cause =
    reason === "clock_changed"
      ? `the system clock moved ${directed(byMs)}. Retention resumes at once when the clock is corrected`
      : `the service was off for ${durationOf(byMs)} by the system clock. Check the clock`;
  return `No old rows are removed until ${until.toISOString()}: ${cause}.`;
}

const directed = (byMs: number): string => `${byMs < 0 ? "back" : "forward"} by ${durationOf(byMs)}`;

/** In its largest whole unit. */
function durationOf(ms: number): string {
  const size = Math.abs(ms);
  const [name, unitMs] = units.find(([, unit]) => size >= unit) ?? units[3];
  const count = Math.floor(size / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
