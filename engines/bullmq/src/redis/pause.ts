import { setTimeout as wait } from "node:timers/promises";

/** Resolves after `delayMs`, rejects when the signal aborts. Never keeps the process alive: the application decides when it ends. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return wait(delayMs, undefined, { signal, ref: false });
}
