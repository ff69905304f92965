import type { Kysely } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { changesOne, countOf } from "../../platform/database/results.ts";
import type { PasswordResetTokenRow, Tables } from "../../schema/tables/index.ts";

/** Tokens of a user that are valid at `now`. */
export const countLive = (tx: Tx<Tables>, userId: string, now: Date): Promise<number> =>
  countOf(
    tx
      .selectFrom("password_reset_tokens")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("user_id", "=", userId)
      .where("used_at", "is", null)
      .where("expires_at", ">", now),
  );

export async function insertResetToken(tx: Tx<Tables>, row: PasswordResetTokenRow): Promise<void> {
  await tx.insertInto("password_reset_tokens").values(row).execute();
}

/** The token of an active account that is valid at `now`; undefined in every other case. */
export const findLive = (db: Kysely<Tables>, digests: readonly string[], now: Date) =>
  db
    .selectFrom("password_reset_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.user_id", "u.email", "u.first_name", "u.last_name", "u.display_name"])
    .where("t.token_hash", "in", digests)
    .where("t.used_at", "is", null)
    .where("t.expires_at", ">", now)
    .where("u.is_active", "=", true)
    .executeTakeFirst();

/** Marks a token as used; false when it was already used or has expired. */
export const consumeResetToken = (tx: Tx<Tables>, id: string, now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("password_reset_tokens")
      .set({ used_at: now })
      .where("id", "=", id)
      .where("used_at", "is", null)
      .where("expires_at", ">", now),
  );
