import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { useAccess } from "../../../../test/fixtures/access-fixture.ts";
import { deleteExpired } from "../../../platform/database/delete-in-batches.ts";
import * as store from "./trusted-devices-store.ts";

for (const dialect of testDialects) {
  describe(`stored trusted devices on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);

    test("are valid until they expire or are revoked, and keep their name and their last sign-in", async () => {
      const { database } = opened;
      const userId = (await fixture.addUser("mira@example.org")).id;
      const now = fixture.clock.now();
      const later = new Date(now.getTime() + 1000);
      const end = new Date(now.getTime() + 60_000);
      const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
      const row = (digit: number) => ({
        ...{ id: id(digit), user_id: userId, token_hash: `digest ${digit}`, label: "Firefox" },
        ...{ created_at: now, last_seen_at: now, expires_at: end, revoked_at: null },
      });
      for (const digit of [1, 2, 3, 4]) await database.write((tx) => store.insertTrustedDevice(tx, row(digit)));
      const listed = async () => (await store.listDevices(database.read, userId, later)).map((device) => device.id);
      const find = (digit: number, at = later) => store.findDevice(database.read, { userId, id: id(digit), now: at });
      const use = (digit: number, at = later) =>
        database.write((tx) => store.useDevice(tx, { userId, digest: `digest ${digit}`, now: at }));

      await database.write((tx) => store.deleteOldestDevices(tx, userId, { keep: 3, now }));
      expect(await listed()).toEqual([4, 3, 2].map(id));
      await database.write((tx) => store.deleteDeviceByDigest(tx, userId, "digest 2"));
      expect(await listed()).toEqual([4, 3].map(id));

      expect([await use(3), await use(2), await use(3, end)]).toEqual([true, false, false]);
      expect(await database.write((tx) => store.renameDevice(tx, id(3), "Safari"))).toBe(true);
      expect(await find(3)).toEqual({ ...row(3), label: "Safari", last_seen_at: later });
      expect(await find(3, end)).toBeUndefined();

      const revoke = () => database.write((tx) => store.revokeDevice(tx, id(3), later));
      expect([await revoke(), await revoke()]).toEqual([true, false]);
      expect([await find(3), await use(3)]).toEqual([undefined, false]);
      expect(await database.write((tx) => store.renameDevice(tx, id(3), "Opera"))).toBe(false);
      expect(await database.write((tx) => store.revokeDevicesOf(tx, userId, later))).toBe(1);
      expect(await database.write((tx) => deleteExpired(tx, "trusted_devices", end))).toBe(2);
    });
  });
}
