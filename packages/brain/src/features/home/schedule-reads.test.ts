import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { scheduleRow } from "../../../test/rows/schedule-rows.ts";
import { disabledAmong } from "./schedule-reads.ts";

for (const dialect of testDialects) {
  describe(`schedules of the home page on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("are counted by project where they are disabled", async () => {
      const { database } = opened;
      const [one, two] = [await addProject(database, randomUUID()), await addProject(database, randomUUID())];
      const row = (project_id: string, is_enabled: boolean) => scheduleRow({ project_id, is_enabled });
      const rows = [row(one, false), row(one, false), row(one, true), row(two, false), row(two, true)];
      const unlisted = row(two, false);
      await database.write((tx) =>
        tx
          .insertInto("schedules")
          .values([...rows, unlisted])
          .execute(),
      );
      const ids = rows.map(({ id }) => id);
      const counts = await disabledAmong(database.slow, [...ids, randomUUID()]);
      expect(new Map(counts.map(({ project_id, count }) => [project_id, count]))).toEqual(
        new Map([
          [one, 2],
          [two, 1],
        ]),
      );
    });
  });
}
