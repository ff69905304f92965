import type { Tx } from "../../../platform/database/database.ts";
import { affectedRows, changesOne } from "../../../platform/database/results.ts";
import type { Db, Tables, TrustedDeviceRow } from "../../../schema/tables/index.ts";

/** A user's unexpired devices, including revoked ones, newest first. */
export const listDevices = (db: Db, userId: string, now: Date): Promise<TrustedDeviceRow[]> =>
  db
    .selectFrom("trusted_devices")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();

export async function insertTrustedDevice(tx: Tx<Tables>, row: TrustedDeviceRow): Promise<void> {
  await tx.insertInto("trusted_devices").values(row).execute();
}

/** Deletes a user's devices except the newest `keep`; those that are not valid at `now` are deleted first. */
export async function deleteOldestDevices(tx: Tx<Tables>, userId: string, { keep, now }: { keep: number; now: Date }) {
  const rows = await tx
    .selectFrom("trusted_devices")
    .select(["id", "expires_at", "revoked_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const counts = (row: (typeof rows)[number]) => row.revoked_at === null && row.expires_at > now;
  const excess = [...rows.filter(counts), ...rows.filter((row) => !counts(row))].slice(keep).map(({ id }) => id);
  if (excess.length > 0) await tx.deleteFrom("trusted_devices").where("id", "in", excess).execute();
}

/** Records a sign-in from a trusted device. @returns false when the user has no such device that is valid at `now`. */
export const useDevice = (
  tx: Tx<Tables>,
  { userId, digest, now }: { userId: string; digest: string; now: Date },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("trusted_devices")
      .set({ last_seen_at: now })
      .where("token_hash", "=", digest)
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now),
  );

/** The user's device with this id, if it is valid at `now`. */
export const findDevice = (db: Db, { userId, id, now }: { userId: string; id: string; now: Date }) =>
  db
    .selectFrom("trusted_devices")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();

/** Revokes a device. @returns false when it was already revoked. */
export const revokeDevice = (tx: Tx<Tables>, id: string, now: Date): Promise<boolean> =>
  changesOne(
    tx.updateTable("trusted_devices").set({ revoked_at: now }).where("id", "=", id).where("revoked_at", "is", null),
  );

/** Renames a device. @returns false when it does not exist or is revoked. */
export const renameDevice = (tx: Tx<Tables>, id: string, label: string): Promise<boolean> =>
  changesOne(tx.updateTable("trusted_devices").set({ label }).where("id", "=", id).where("revoked_at", "is", null));

/** Deletes the device whose cookie a browser still has, when the browser gets another one. */
export async function deleteDeviceByDigest(tx: Tx<Tables>, userId: string, digest: string): Promise<void> {
  await tx.deleteFrom("trusted_devices").where("user_id", "=", userId).where("token_hash", "=", digest).execute();
}

/** Ends all devices of a user. @returns how many were valid until now. */
export const revokeDevicesOf = (tx: Tx<Tables>, userId: string, now: Date): Promise<number> =>
  affectedRows(
    tx
      .updateTable("trusted_devices")
      .set({ revoked_at: now })
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now),
  );
