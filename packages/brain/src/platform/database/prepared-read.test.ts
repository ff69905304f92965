import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { prepareRead } from "./prepared-read.ts";

for (const dialect of testDialects) {
  describe(`a prepared read on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("binds its values in order, in addition to constants, on every connection", async () => {
      const [first, second] = [randomUUID(), randomUUID()];
      for (const id of [first, second]) await addProject(opened.database, id);
      const find = prepareRead(opened.database, "test_projects", {
        count: 2,
        build: ([id = "", slug = ""]) =>
          opened.database.read
            .selectFrom("projects")
            .select(["id", "is_active", "created_at"])
            .where("is_active", "=", true)
            .where("id", "=", id)
            .where("slug", "=", slug),
      });
      const row = (id: string) => ({ id, is_active: true, created_at: expect.any(Date) });
      expect(await find([first, `p-${first}`])).toEqual([row(first)]);
      expect(await find([first, `p-${second}`])).toEqual([]);
      expect(await find([second, `p-${second}`])).toEqual([row(second)]);
      const many = await Promise.all(Array.from({ length: 20 }, () => find([second, `p-${second}`])));
      expect(many).toEqual(Array(20).fill([row(second)]));
    });

    test("takes what the sender made up for a value and nothing else", async () => {
      const find = prepareRead(opened.database, "test_slugs", {
        count: 1,
        build: ([slug = ""]) => opened.database.read.selectFrom("projects").select("slug").where("slug", "=", slug),
      });
      for (const text of ["' OR 1=1 --", "placeholder 0", ""]) expect(await find([text])).toEqual([]);
    });
  });
}
