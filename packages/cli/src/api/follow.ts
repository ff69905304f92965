import { setTimeout as pause } from "node:timers/promises";
import { isProblem } from "@svc/client";

/** How long a service that is away is waited for: as long as a restart may take. */
const awayMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 1000;

/**
 * Reads until what is read `isDone`, at first often and then every second. A service that is away or asks for patience is waited for, up
 * to a minute. `onRead` gives whether something has changed, which makes it look often again.
 *
 * @throws what `read` throws otherwise.
 */
export async function follow<T>(
  read: () => Promise<T>,
  { isDone, onRead }: { readonly isDone: (value: T) => boolean; readonly onRead?: (value: T) => boolean },
): Promise<T> {
  let pauseMs = firstPauseMs;
  let awaySinceMs: number | null = null;
  for (;;) {
    try {
      const value = await read();
      awaySinceMs = null;
      const hasChanged = onRead?.(value) === true;
      if (isDone(value)) return value;
      pauseMs = hasChanged ? firstPauseMs : Math.min(longestPauseMs, pauseMs * 1.5);
    } catch (fault) {
      awaySinceMs ??= performance.now();
      const waitMs = patienceMs(fault);
      if (waitMs === null || performance.now() - awaySinceMs + waitMs > awayMs) throw fault;
      pauseMs = waitMs;
    }
    await pause(pauseMs);
  }
}

/** Asks again after a cut connection, which is harmless: a command with the same idempotency key is not issued twice. */
export async function insist<T>(issue: () => Promise<T>): Promise<T> {
  for (const waitMs of [200, 1000]) {
    try {
      return await issue();
    } catch (cause) {
      if (!isProblem(cause, "unreachable")) throw cause;
      await pause(waitMs);
    }
  }
  return issue();
}

/** How long to wait before asking again after such a refusal; null when waiting helps nothing. */
export function patienceMs(fault: unknown): number | null {
  if (!isProblem(fault)) return null;
  if (fault.status === 429) return (fault.retryAfterSeconds ?? 10) * 1000;
  return fault.code === "unreachable" || fault.status === 503 ? (fault.retryAfterSeconds ?? 1) * 1000 : null;
}
