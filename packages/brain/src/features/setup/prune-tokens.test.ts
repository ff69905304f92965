import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { pruneSetupTokens } from "./loops.ts";
import { lastExpiry } from "./store.ts";

for (const dialect of testDialects) {
  describe(`retention of setup tokens on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("deletes expired ones, used or not, and keeps the others", async () => {
      const { database } = opened;
      const clock = createFakeClock("2026-04-01T10:00:00.000Z");
      const now = clock.now();
      const token = (index: number, expires_at: Date, used_at: Date | null) => ({
        id: `00000000-0000-4000-8000-00000000000${index}`,
        token_hash: `hash ${index}`,
        expires_at,
        used_at,
        created_at: now,
      });
      const [later, last] = [1, 2].map((ms) => new Date(now.getTime() + ms)) as [Date, Date];
      await database.write((tx) =>
        tx
          .insertInto("first_boot_tokens")
          .values([token(1, now, null), token(2, now, now), token(3, later, null), token(4, last, now)])
          .execute(),
      );

      expect(await lastExpiry(database.read, now)).toEqual(later);
      expect(await lastExpiry(database.read, later)).toBeUndefined();
      expect(await pruneSetupTokens.tick({ database, clock, signal: new AbortController().signal })).toEqual({
        deleted: 2,
      });

      const left = await database.read.selectFrom("first_boot_tokens").select("token_hash").execute();
      expect(left.map(({ token_hash }) => token_hash).sort()).toEqual(["hash 3", "hash 4"]);
    });
  });
}
