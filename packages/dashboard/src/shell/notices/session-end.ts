import type { SessionLimits } from "@svc/client";

/** How long before its end a session is warned about. */
export const warnAheadMs = 120_000;

export interface SessionEnd {
  /** Milliseconds that are left; negative once it is over. */
  leftMs: number;
  /** Whether any use of it moves the end. */
  isIdleEnd: boolean;
}

/** Which of its two limits ends a session first, seen at a time of the server's clock. */
export function sessionEnd({ idle_expires_at, expires_at }: SessionLimits, serverMs: number): SessionEnd {
  const endMs = Date.parse(expires_at);
  const idleMs = idle_expires_at === null ? endMs : Date.parse(idle_expires_at);
  return { leftMs: Math.min(endMs, idleMs) - serverMs, isIdleEnd: idleMs < endMs };
}
