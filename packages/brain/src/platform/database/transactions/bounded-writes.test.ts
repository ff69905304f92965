import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { toApiError } from "../../http/error-handler.ts";
import { isTransient } from "../errors.ts";
import { boundWrites } from "./bounded-writes.ts";

for (const dialect of testDialects) {
  describe(`writes under way on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are refused temporarily beyond their bound, and accepted again when one ends, successful or not", async () => {
      const write = boundWrites(opened.database.write, 2);
      const held = Promise.withResolvers<void>();
      const insert = (key: string) => write((tx) => tx.insertInto("meta").values({ key, value: "x" }).execute());
      const first = write(() => held.promise);
      const second = write(async () => {
        await held.promise;
        throw new Error("stop here");
      });
      const refused = await insert("refused").catch((error: unknown) => error);
      expect(isTransient(refused)).toBe(true);
      const answer = { status: 503, code: "unready", details: { reason: "database" }, headers: { "retry-after": "1" } };
      expect(toApiError(refused)).toMatchObject(answer);
      held.resolve();
      await Promise.allSettled([first, second]);
      await Promise.all([insert("a"), insert("b")]);
      const rows = await opened.database.read.selectFrom("meta").select("key").orderBy("key").execute();
      expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(["a", "b"]));
      expect(rows.map(({ key }) => key)).not.toContain("refused");
    });
  });
}
