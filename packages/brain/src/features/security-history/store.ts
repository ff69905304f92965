import type { Tx } from "../../platform/database/database.ts";
import { affectedRows, changesOne, countOf, findsRow } from "../../platform/database/results.ts";
import { days } from "../../platform/durations.ts";
import type { AccountNoticeRow, Db, KnownDeviceRow, Tables } from "../../schema/tables/index.ts";

/**
 * Writes a notice and removes the oldest ones beyond `keep` from the user's history. One kind may use at most half of it, so that many
 * sign-ins do not displace everything else.
 */
export async function insertNotice(tx: Tx<Tables>, row: AccountNoticeRow, keep: number): Promise<void> {
  await tx.insertInto("account_notices").values(row).execute();
  const ofUser = tx.selectFrom("account_notices").select("id").where("user_id", "=", row.user_id);
  for (const { rows, left } of [
    { rows: ofUser.where("kind", "=", row.kind), left: Math.floor(keep / 2) },
    { rows: ofUser, left: keep },
  ]) {
    const excess = rows.orderBy("occurred_at", "desc").orderBy("id", "desc").limit(10).offset(left);
    await tx.deleteFrom("account_notices").where("id", "in", excess).execute();
  }
}

/** Notices of one kind since an instant. */
export const countNotices = (
  db: Db,
  { userId, kind, since }: { userId: string; kind: string; since: Date },
): Promise<number> =>
  countOf(
    db
      .selectFrom("account_notices")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("user_id", "=", userId)
      .where("kind", "=", kind)
      .where("occurred_at", ">", since),
  );

/** A user's notices, newest first. */
export const listNotices = (
  db: Db,
  userId: string,
  { olderThan, limit }: { olderThan: { readonly at: Date; readonly id: string } | null; limit: number },
): Promise<AccountNoticeRow[]> =>
  db
    .selectFrom("account_notices")
    .selectAll()
    .where("user_id", "=", userId)
    .$if(olderThan !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb("occurred_at", "<", olderThan!.at),
          eb.and([eb("occurred_at", "=", olderThan!.at), eb("id", "<", olderThan!.id)]),
        ]),
      ),
    )
    .orderBy("occurred_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();

export const deleteNoticesBefore = (tx: Tx<Tables>, before: Date): Promise<number> =>
  affectedRows(tx.deleteFrom("account_notices").where("occurred_at", "<", before));

/** Address for mails about an account; undefined when it was deleted. */
export const findAddress = async (db: Db, userId: string): Promise<string | undefined> =>
  (await db.selectFrom("users").select("email").where("id", "=", userId).executeTakeFirst())?.email;

/** Records a sign-in from a known browser. @returns false when the account has not signed in from it before. */
export const seeDevice = (
  tx: Tx<Tables>,
  { userId, digest, now }: { userId: string; digest: string; now: Date },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("known_devices")
      .set({ last_seen_at: now })
      .where("user_id", "=", userId)
      .where("token_hash", "=", digest),
  );

export const hasDevices = (tx: Tx<Tables>, userId: string): Promise<boolean> =>
  findsRow(tx.selectFrom("known_devices").select("id").where("user_id", "=", userId).limit(1));

/** Whether any account has signed in from the browser with this cookie. */
export const isKnownDevice = (tx: Tx<Tables>, digest: string): Promise<boolean> =>
  findsRow(tx.selectFrom("known_devices").select("id").where("token_hash", "=", digest).limit(1));

/** Adds a browser and removes others beyond `keep`. */
export async function insertKnownDevice(tx: Tx<Tables>, row: KnownDeviceRow, keep: number): Promise<void> {
  const others = await tx
    .selectFrom("known_devices")
    .select(["id", "created_at", "last_seen_at"])
    .where("user_id", "=", row.user_id)
    .orderBy("id")
    .execute();
  const forgotten = devicesBeyond(others, { now: row.created_at, keep: keep - 1 });
  if (forgotten.length > 0) await tx.deleteFrom("known_devices").where("id", "in", forgotten).execute();
  await tx.insertInto("known_devices").values(row).execute();
}

/**
 * The browsers to remove so that `keep` are left. First those with a single sign-in within the last day, newest first, so that a script
 * that signs in without cookies displaces its own entries. Then older ones with a single sign-in, then the rest, longest unused first.
 */
function devicesBeyond(
  devices: readonly Pick<KnownDeviceRow, "id" | "created_at" | "last_seen_at">[],
  { now, keep }: { now: Date; keep: number },
): string[] {
  const dayAgo = now.getTime() - days(1);
  const ranked = devices.map(({ id, created_at, last_seen_at }) => {
    const [createdMs, seenMs] = [created_at.getTime(), last_seen_at.getTime()];
    const isSeenAgain = seenMs > createdMs;
    const isFresh = !isSeenAgain && createdMs > dayAgo;
    return { id, rank: isSeenAgain ? 0 : isFresh ? 2 : 1, order: isFresh ? createdMs : -seenMs };
  });
  ranked.sort((one, other) => one.rank - other.rank || one.order - other.order);
  return ranked.slice(keep).map(({ id }) => id);
}
