import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** Maximum wait in milliseconds; default 120_000. Only an error takes that long, even on a slow machine. */
  readonly withinMs?: number;
  /** Pause between checks in milliseconds; default 20. */
  readonly everyMs?: number;
  /** Name of the condition, for the error message. */
  readonly that?: string;
}

/**
 * Checks a condition until it holds and resolves with its value. `undefined`, `null` and `false` mean "not yet". A throw also means "not
 * yet", so an assertion can be the condition; the error at the end includes its message.
 *
 * @throws Error when the time is over; `cause` is the condition's last error.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { withinMs = 120_000, everyMs = 20, that = "the condition" } = options;
  const deadline = performance.now() + withinMs;
  let lastFault: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false)
        return value as Exclude<T, undefined | null | false>;
      lastFault = undefined;
    } catch (fault) {
      lastFault = fault;
    }
    if (performance.now() >= deadline) break;
    await pause(everyMs);
  }
  const reason = lastFault instanceof Error ? `: ${lastFault.message}` : "";
  throw new Error(`${that} did not hold within ${withinMs} ms${reason}`, { cause: lastFault });
}
