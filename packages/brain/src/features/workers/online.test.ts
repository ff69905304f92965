import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { workerRow } from "../../../test/rows/worker-rows.ts";
import { workersOnline } from "./reads.ts";

const now = new Date("2026-04-01T10:00:00.000Z");
const projects = [1, 2, 3, 4].map((number) => `${number}1111111-2222-4333-8444-555555555555`);
const [busy, idle, archived] = projects as [string, string, string];
let workers = 0;

for (const dialect of testDialects) {
  describe(`workers online on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    test("are counted by active project, with 0 where none is online", async () => {
      const { database } = opened;
      for (const id of projects) await addProject(database, id);
      const worker = (project_id: string, state: string) => {
        workers += 1;
        return workerRow({ at: now, project_id, name: `w${workers}`, state });
      };
      await database.write(async (tx) => {
        const rows = [
          worker(busy, "online"),
          worker(busy, "online"),
          worker(busy, "offline"),
          worker(idle, "offline"),
          worker(archived, "online"),
        ];
        await tx.insertInto("workers").values(rows).execute();
        await tx.updateTable("projects").set({ is_active: false }).where("id", "=", archived).execute();
      });

      expect(await workersOnline(database, 10)).toEqual([
        { slug: `p-${busy}`, count: 2 },
        { slug: `p-${idle}`, count: 0 },
      ]);
      expect(await workersOnline(database, 1)).toEqual([{ slug: `p-${busy}`, count: 2 }]);
    });
  });
}
