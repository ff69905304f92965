import type { SessionLimits } from "@svc/client";

/** How long before its end the session notice appears. */
export const warnAheadMs = 120_000;

export interface SessionEnd {
  /** Milliseconds left; negative once it has ended. */
  leftMs: number;
  /** Whether using the session postpones the end. */
  isIdleEnd: boolean;
}

/** Which of its two limits ends a session first, at a time of the server's clock. */
export function sessionEnd({ idle_expires_at, expires_at }: SessionLimits, serverMs: number): SessionEnd {
  const endMs = Date.parse(expires_at);
  const idleMs = idle_expires_at === null ? endMs : Date.parse(idle_expires_at);
  return { leftMs: Math.min(endMs, idleMs) - serverMs, isIdleEnd: idleMs < endMs };
}
