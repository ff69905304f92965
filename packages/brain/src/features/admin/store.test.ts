import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { readVersions, saveVersions } from "./store.ts";

for (const dialect of testDialects) {
  describe(`stored known versions on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are those of the last check", async () => {
      const { database } = opened;
      expect(await readVersions(database.read)).toBeUndefined();
      for (const value of ["{}", '{"latest":"1.2.3"}']) await database.write((tx) => saveVersions(tx, value));
      expect(await readVersions(database.read)).toBe('{"latest":"1.2.3"}');
    });
  });
}
