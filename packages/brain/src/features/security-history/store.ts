import type { Kysely } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { AccountNoticeRow, KnownDeviceRow, Tables } from "../../schema/tables/index.ts";

type Db = Kysely<Tables>;

/** Writes a notice and removes what the user's history then holds beyond `keep`, the oldest first. */
export async function insertNotice(tx: Tx<Tables>, row: AccountNoticeRow, keep: number): Promise<void> {
  await tx.insertInto("account_notices").values(row).execute();
  await tx
    .deleteFrom("account_notices")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("account_notices")
        .select("id")
        .where("user_id", "=", row.user_id)
        .orderBy("occurred_at", "desc")
        .orderBy("id", "desc")
        .limit(10)
        .offset(keep),
    )
    .execute();
}

/** Notices of one kind since an instant. */
export async function countNotices(
  db: Db,
  { userId, kind, since }: { userId: string; kind: string; since: Date },
): Promise<number> {
  const { count } = await db
    .selectFrom("account_notices")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("occurred_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A user's notices, the newest first. */
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

export async function deleteNoticesBefore(tx: Tx<Tables>, before: Date): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("account_notices")
    .where("occurred_at", "<", before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Where mail about an account goes; undefined when it has been deleted. */
export const findAddress = async (db: Db, userId: string): Promise<string | undefined> =>
  (await db.selectFrom("users").select("email").where("id", "=", userId).executeTakeFirst())?.email;

/** Notes a sign-in from a known browser. @returns false when the account has not signed in from it. */
export async function seeDevice(
  tx: Tx<Tables>,
  { userId, digest, now }: { userId: string; digest: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("known_devices")
    .set({ last_seen_at: now })
    .where("user_id", "=", userId)
    .where("token_hash", "=", digest)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function hasDevices(tx: Tx<Tables>, userId: string): Promise<boolean> {
  const device = tx.selectFrom("known_devices").select("id").where("user_id", "=", userId).limit(1);
  return (await device.executeTakeFirst()) !== undefined;
}

/** Whether any account has signed in from the browser with this cookie. */
export async function isDeviceOfAnybody(tx: Tx<Tables>, digest: string): Promise<boolean> {
  const device = tx.selectFrom("known_devices").select("id").where("token_hash", "=", digest).limit(1);
  return (await device.executeTakeFirst()) !== undefined;
}

/** Adds a browser and forgets those beyond `keep`, the ones not used for longest first. */
export async function insertDevice(tx: Tx<Tables>, row: KnownDeviceRow, keep: number): Promise<void> {
  await tx.insertInto("known_devices").values(row).execute();
  await tx
    .deleteFrom("known_devices")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("known_devices")
        .select("id")
        .where("user_id", "=", row.user_id)
        .orderBy("last_seen_at", "desc")
        .orderBy("id", "desc")
        .limit(10)
        .offset(keep),
    )
    .execute();
}
