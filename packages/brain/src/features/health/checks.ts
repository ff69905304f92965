import { days, hours, minutes } from "../../platform/durations.ts";
import type { RetentionGuard, RetentionHold } from "../../platform/retention.ts";
import type { CheckAnswer, DeepAnswer } from "./schemas.ts";

/** One subsystem's check; if it throws, its message alone says what failed. */
export interface Check {
  readonly name: string;
  run(): Promise<CheckAnswer>;
}

const checkLimitMs = 3000;

/** Runs all checks concurrently, each with a time limit; the worst result is the overall status. */
export async function runChecks(checks: readonly Check[], limitMs = checkLimitMs): Promise<DeepAnswer> {
  const entries = await Promise.all(checks.map(async (check) => [check.name, await runCheck(check, limitMs)] as const));
  const states = entries.map(([, { status }]) => status);
  const status = states.includes("failed") ? "failed" : states.includes("degraded") ? "degraded" : "ok";
  return {
    status,
    coverage: { startup_equivalent: false, detail: "checks the current state only; start-up checks more" },
    checks: Object.fromEntries(entries),
  };
}

async function runCheck({ run }: Check, limitMs: number): Promise<CheckAnswer> {
  const limit = Promise.withResolvers<CheckAnswer>();
  const timer = setTimeout(() => {
    limit.resolve({ status: "failed", detail: `check exceeded ${(limitMs / 1000).toFixed(1)}s` });
  }, limitMs);
  try {
    return await Promise.race([run(), limit.promise]);
  } catch (error) {
    // A class name is enough to find the error in the log; messages of drivers may contain addresses.
    return { status: "failed", detail: error instanceof Error ? error.name : "failed" };
  } finally {
    clearTimeout(timer);
  }
}

const units = [
  ["day", days(1)],
  ["hour", hours(1)],
  ["minute", minutes(1)],
  ["second", 1000],
] as const;

/** Whether retention runs; while it is held, the reason and the end; after a clock jump that skips one pass, the jump. */
export const retentionCheck = (retention: Pick<RetentionGuard, "check">): Check => ({
  name: "retention",
  async run() {
    const hold = retention.check();
    return hold === null ? { status: "ok" } : { status: "degraded", detail: detailOf(hold) };
  },
});

function detailOf({ reason, byMs, until }: RetentionHold): string {
  if (until === null)
    return `The system clock moved ${directed(byMs)}. Old rows are removed one pass later. This is normal after the machine slept.`;
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
