import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  /** Upper bound of the whole wait in milliseconds; default 120_000. Only a fault takes that long, a slow machine does not. */
  readonly withinMs?: number;
  /** Pause between two looks in milliseconds; default 20. */
  readonly everyMs?: number;
  /** What is awaited, for the message when the bound passes. */
  readonly that?: string;
}

/**
 * Looks at a condition until it holds and gives its value. `undefined`, `null` and `false` mean "not yet"; a throw also means "not
 * yet", and its message is told when the bound passes, so an assertion can be the condition.
 *
 * @throws Error when the bound passes first; `cause` is the last throw of the condition.
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
