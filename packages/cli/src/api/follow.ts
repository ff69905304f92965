import { setTimeout as pause } from "node:timers/promises";
import { isProblem } from "@svc/client";

/** How long to wait for an unreachable service, about the duration of a restart. */
const maxOutageMs = 60_000;
const firstPauseMs = 50;
const maxPauseMs = 1000;

/**
 * Polls until `isDone`, at first often and then every second. Waits up to a minute for a service that is unreachable or rate-limits. `onRead`
 * returns whether something changed, which makes it poll often again.
 *
 * @throws other errors of `read`.
 */
export async function follow<T>(
  read: () => Promise<T>,
  { isDone, onRead }: { readonly isDone: (value: T) => boolean; readonly onRead?: (value: T) => boolean },
): Promise<T> {
  let pauseMs = firstPauseMs;
  let unavailableSinceMs: number | null = null;
  for (;;) {
    try {
      const value = await read();
      unavailableSinceMs = null;
      const hasChanged = onRead?.(value) === true;
      if (isDone(value)) return value;
      pauseMs = hasChanged ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 1.5);
    } catch (fault) {
      unavailableSinceMs ??= performance.now();
      const waitMs = retryDelayMs(fault);
      if (waitMs === null || performance.now() - unavailableSinceMs + waitMs > maxOutageMs) throw fault;
      pauseMs = waitMs;
    }
    await pause(pauseMs);
  }
}

/** Repeats a request after a lost connection. A command with the same idempotency key is not issued twice. */
export async function retryUnreachable<T>(issue: () => Promise<T>): Promise<T> {
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

/** How long to wait before repeating a refused request. Null when waiting does not help. */
export function retryDelayMs(fault: unknown): number | null {
  if (!isProblem(fault)) return null;
  if (fault.status === 429) return (fault.retryAfterSeconds ?? 10) * 1000;
  return fault.code === "unreachable" || fault.status === 503 ? (fault.retryAfterSeconds ?? 1) * 1000 : null;
}
