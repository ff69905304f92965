import { readInstant } from "../events/instants.ts";
import type { Frame } from "./envelope.ts";
import { wireLimits, wireTimes } from "./limits.ts";

/** Why a frame was refused, or `ok`. Every refusal ends the session. */
export type ReplayVerdict = "ok" | "seq" | "time" | "nonce" | "missing";

const rememberedNonces = 4_096;

export interface ReplayGuardOptions {
  readonly now: () => Date;
  /** Monotonic clock in milliseconds. Defaults to `performance.now`. */
  readonly monotonicMs?: () => number;
}

export type ReplayGuard = ReturnType<typeof createReplayGuard>;

/**
 * Refuses replayed, reordered and stale frames of one session and direction. `admit` checks and records in one step, so call it for
 * one frame at a time, in arrival order.
 */
export function createReplayGuard({ now, monotonicMs = () => performance.now() }: ReplayGuardOptions) {
  let lastSeq = 0;
  /** Accepted nonces with the monotonic time of acceptance, oldest first. */
  const accepted = new Map<string, number>();

  return {
    admit({ seq, ts, nonce }: Pick<Frame, "seq" | "ts" | "nonce">): ReplayVerdict {
      if (seq === undefined || !Number.isSafeInteger(seq) || seq < 1 || ts === null) return "missing";
      if (nonce === undefined || nonce === "" || nonce.length > wireLimits.nonceCharacters) return "missing";
      if (seq <= lastSeq) return "seq";
      const sentAt = readInstant(ts, { zone: "required" });
      if (sentAt === null || Math.abs(now().getTime() - sentAt) > wireTimes.frameAgeMs) return "time";
      const at = monotonicMs();
      const before = accepted.get(nonce);
      if (before !== undefined && at - before <= wireTimes.nonceMemoryMs) return "nonce";
      lastSeq = seq;
      accepted.delete(nonce);
      accepted.set(nonce, at);
      for (const [oldest, acceptedAt] of accepted) {
        if (accepted.size <= rememberedNonces && at - acceptedAt <= wireTimes.nonceMemoryMs) break;
        accepted.delete(oldest);
      }
      return "ok";
    },
    /** Accepts seq 1 again but keeps the nonces. Called for a probe of the long-poll session without a nonce header. */
    resetSeq() {
      lastSeq = 0;
    },
  };
}
