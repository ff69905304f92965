import type { CheckAnswer, DeepAnswer } from "./schemas.ts";

/** One subsystem's check; it may throw, and says then what failed by its message alone. */
export interface Check {
  readonly name: string;
  run(): Promise<CheckAnswer>;
}

const checkLimitMs = 3000;

/** Runs all checks side by side, each within its time, and takes the worst as the whole. */
export async function runChecks(checks: readonly Check[], limitMs = checkLimitMs): Promise<DeepAnswer> {
  const entries = await Promise.all(checks.map(async (check) => [check.name, await runCheck(check, limitMs)] as const));
  const states = entries.map(([, { status }]) => status);
  const status = states.includes("failed") ? "failed" : states.includes("degraded") ? "degraded" : "ok";
  return {
    status,
    coverage: { startup_equivalent: false, detail: "looks at the present state only; start-up checks more" },
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
    // A class name is enough to look further in the log; messages of drivers may hold addresses.
    return { status: "failed", detail: error instanceof Error ? error.name : "failed" };
  } finally {
    clearTimeout(timer);
  }
}
