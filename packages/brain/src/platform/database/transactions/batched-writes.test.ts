import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import type { Database, Tx } from "../database.ts";
import { createBatchedWrites } from "./batched-writes.ts";

type Tables = ReturnType<typeof useTestDatabase>["database"] extends Database<infer Schema> ? Schema : never;

for (const dialect of testDialects) {
  describe(`small batched writes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const rename = (id: string, name: string) => (tx: Tx<Tables>) =>
      tx.updateTable("projects").set({ name }).where("id", "=", id).returning("id").executeTakeFirstOrThrow();
    const nameOf = async (id: string) =>
      (await opened.database.read.selectFrom("projects").select("name").where("id", "=", id).executeTakeFirstOrThrow())
        .name;
    /** The database, with a count of its transactions. */
    function counting() {
      const counted = { transactions: 0 };
      const writeBatched = createBatchedWrites<Tables>({
        write(work, options) {
          counted.transactions += 1;
          return opened.database.write(work, options);
        },
      });
      return { writeBatched, counted };
    }
    const projects = (count: number) =>
      Promise.all(Array.from({ length: count }, () => addProject(opened.database, randomUUID())));

    test("share a transaction when concurrent, and each has its own result", async () => {
      const ids = await projects(8);
      const { writeBatched, counted } = counting();
      const results = await Promise.all(ids.map((id, index) => writeBatched(rename(id, `name ${index}`))));
      expect(results).toEqual(ids.map((id) => ({ id })));
      expect(await Promise.all(ids.map(nameOf))).toEqual(ids.map((_id, index) => `name ${index}`));
      expect(counted.transactions).toBe(1);
    });

    test("are not affected by one that fails", async () => {
      const ids = await projects(3);
      const { writeBatched } = counting();
      const fails = async (tx: Tx<Tables>) => {
        await rename(ids[1]!, "lost")(tx);
        throw new Error("refused");
      };
      const [first, second, third] = await Promise.allSettled([
        writeBatched(rename(ids[0]!, "kept")),
        writeBatched(fails),
        writeBatched(async (tx) => {
          await rename(ids[2]!, "first")(tx);
          return rename(ids[2]!, "kept too")(tx);
        }),
      ]);
      expect([first.status, second.status, third.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(second).toMatchObject({ reason: { message: "refused" } });
      expect(await Promise.all(ids.map(nameOf))).toEqual(["kept", "project", "kept too"]);
    });
  });
}
