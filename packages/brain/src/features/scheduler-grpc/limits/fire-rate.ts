import type { Core } from "../../../schema/tables/index.ts";
import { type BucketRules, drawTokens } from "./rate-bucket-store.ts";

/** Tokens that a process takes at once, so that the row is not written for each fire. */
const blockSize = 100;
/** How long an empty bucket is not asked again, so that refused fires cost no transactions. */
const pauseMs = 50;
/** Maximum certificates with tokens in this process; the oldest one loses its tokens. */
const maxCertificates = 1000;

interface Purse {
  tokens: number;
  /** Until when the bucket counts as empty. */
  emptyUntilMs: number;
  drawing: Promise<void> | null;
}

/** The token bucket of each certificate, shared by all processes through the database. */
export function createFireRate({ database, clock }: Pick<Core, "database" | "clock">, rules: BucketRules) {
  const purses = new Map<string, Purse>();

  function purseOf(certificate: string): Purse {
    let purse = purses.get(certificate);
    if (purse === undefined) {
      purse = { tokens: 0, emptyUntilMs: Number.NEGATIVE_INFINITY, drawing: null };
      const [oldest] = purses.size >= maxCertificates ? purses.keys() : [];
      if (oldest !== undefined) purses.delete(oldest);
      purses.set(certificate, purse);
    }
    return purse;
  }

  async function draw(certificate: string, purse: Purse): Promise<void> {
    const wanted = Math.min(blockSize, rules.capacity);
    const now = clock.now();
    // Alone: a transaction that also fires would hold the row while it waits for others.
    const drawn = await database.write((tx) => drawTokens(tx, { certificate, wanted, now }, rules), { alone: true });
    purse.tokens += drawn;
    if (drawn === 0) purse.emptyUntilMs = clock.monotonicMs() + pauseMs;
  }

  return {
    /** Whether the certificate may fire now. @throws the error of the database */
    async take(certificate: string): Promise<boolean> {
      const purse = purseOf(certificate);
      for (;;) {
        if (purse.tokens > 0) {
          purse.tokens -= 1;
          return true;
        }
        if (clock.monotonicMs() < purse.emptyUntilMs) return false;
        purse.drawing ??= draw(certificate, purse).finally(() => {
          purse.drawing = null;
        });
        await purse.drawing;
      }
    },
  };
}

export type FireRate = ReturnType<typeof createFireRate>;
