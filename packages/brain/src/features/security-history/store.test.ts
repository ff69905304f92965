import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { useAccess } from "../../../test/fixtures/access-fixture.ts";
import * as store from "./store.ts";

for (const dialect of testDialects) {
  describe(`a stored security history on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);
    const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;

    test("keeps the newest browsers of an account, and when each was last seen", async () => {
      const { database } = opened;
      const userId = (await fixture.addUser("mira@example.org")).id;
      const now = fixture.clock.now();
      const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
      await database.write(async (tx) => {
        const add = (digit: number) => {
          const times = { created_at: later(digit), last_seen_at: later(digit) };
          return store.insertKnownDevice(
            tx,
            { id: id(digit), user_id: userId, token_hash: `digest ${digit}`, ...times },
            2,
          );
        };
        const see = (digit: number) =>
          store.seeDevice(tx, { userId, digest: `digest ${digit}`, now: later(10 + digit) });
        expect(await store.hasDevices(tx, userId)).toBe(false);
        await add(1);
        expect([await see(1), await see(2)]).toEqual([true, false]);
        await add(2);
        await add(3);
        expect(await store.hasDevices(tx, userId)).toBe(true);
        expect(await store.isKnownDevice(tx, "digest 1")).toBe(true);
        expect(await store.isKnownDevice(tx, "digest 2")).toBe(false);
      });
      const rows = await database.read.selectFrom("known_devices").selectAll().orderBy("id").execute();
      expect(rows.map((row) => [row.id, row.last_seen_at])).toEqual([
        [id(1), later(11)],
        [id(3), later(3)],
      ]);
    });
  });
}
