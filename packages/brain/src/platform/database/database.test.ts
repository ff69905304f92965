import { type TestDialect, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { isTransient, isUniqueViolation } from "./errors.ts";

const insertMeta = (key: string) => ({ key, value: "v" });

for (const dialect of testDialects) {
  describe(`the ${dialect} database`, () => {
    const opened = useTestDatabase(dialect as TestDialect);
    const keys = async () =>
      (await opened.database.read.selectFrom("meta").select("key").execute()).map(({ key }) => key);

    test("keeps what a transaction wrote and shows it to both kinds of reads", async () => {
      await opened.database.write((tx) => tx.insertInto("meta").values(insertMeta("kept")).execute());
      expect(await keys()).toContain("kept");
      expect(await opened.database.slow.selectFrom("meta").select("key").execute()).toContainEqual({ key: "kept" });
    });

    test("undoes everything of a transaction that throws, and passes the error on", async () => {
      const failing = opened.database.write(async (tx) => {
        await tx.insertInto("meta").values(insertMeta("undone")).execute();
        throw new Error("stop here");
      });
      await expect(failing).rejects.toThrow("stop here");
      expect(await keys()).not.toContain("undone");
    });

    test("undoes a failing transaction alone among many that commit together", async () => {
      const writes = Array.from({ length: 40 }, (_, index) =>
        opened.database.write(async (tx) => {
          await tx
            .insertInto("meta")
            .values(insertMeta(`group-${index}`))
            .execute();
          if (index % 10 === 3)
            await tx
              .insertInto("meta")
              .values(insertMeta(`group-${index}`))
              .execute();
        }),
      );
      const results = await Promise.allSettled(writes);
      const failed = results.flatMap((result, index) => (result.status === "rejected" ? [index] : []));
      expect(failed).toEqual([3, 13, 23, 33]);
      const error = (results[3] as PromiseRejectedResult).reason;
      expect([isUniqueViolation(error), isTransient(error)]).toEqual([true, false]);
      const kept = (await keys()).filter((key) => key.startsWith("group-"));
      expect(kept).toHaveLength(36);
    });

    test("gives instants as dates of millisecond precision and booleans as booleans", async () => {
      const at = new Date("2026-01-02T03:04:05.678Z");
      await opened.database.write((tx) =>
        tx
          .insertInto("users")
          .values({
            id: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
            email: "A@example.org",
            email_key: "a@example.org",
            first_name: null,
            last_name: null,
            display_name: null,
            password_hash: "x",
            is_admin: true,
            is_active: false,
            timezone: "UTC",
            failed_logins: 0,
            mfa_failed_codes: 0,
            locked_until: at,
            mfa_enforcement_started_at: null,
            last_login_at: null,
            created_at: at,
            updated_at: at,
          })
          .execute(),
      );
      const user = await opened.database.read.selectFrom("users").selectAll().executeTakeFirstOrThrow();
      expect(user).toMatchObject({
        is_admin: true,
        is_active: false,
        locked_until: at,
        created_at: at,
        last_login_at: null,
      });
    });
  });
}
