import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";

export interface BucketRules {
  /** Tokens of a full bucket. */
  readonly capacity: number;
  readonly perSecond: number;
}

/** Takes up to `wanted` whole tokens from the bucket of a certificate, which begins full. @returns how many */
export async function drawTokens(
  tx: Tx<Tables>,
  { certificate, wanted, now }: { certificate: string; wanted: number; now: Date },
  { capacity, perSecond }: BucketRules,
): Promise<number> {
  await tx
    .insertInto("scheduler_rate_buckets")
    .values({ certificate, tokens: capacity, refilled_at: now })
    .onConflict((conflict) => conflict.column("certificate").doNothing())
    .execute();
  const bucket = await tx
    .selectFrom("scheduler_rate_buckets")
    .select(["tokens", "refilled_at"])
    .where("certificate", "=", certificate)
    .forUpdate()
    .executeTakeFirstOrThrow();
  // The clocks of two processes may differ, so the time since the last refill may be negative.
  const elapsedMs = Math.max(0, now.getTime() - bucket.refilled_at.getTime());
  const tokens = Math.min(capacity, bucket.tokens + (elapsedMs * perSecond) / 1000);
  const drawn = Math.min(wanted, Math.floor(tokens));
  await tx
    .updateTable("scheduler_rate_buckets")
    .set({ tokens: tokens - drawn, refilled_at: elapsedMs > 0 ? now : bucket.refilled_at })
    .where("certificate", "=", certificate)
    .execute();
  return drawn;
}
