import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { countSchedules } from "./reads.ts";

for (const dialect of testDialects) {
  describe(`the counts of schedules on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let shop: string;
    beforeAll(async () => {
      shop = await addProject(opened.database, randomUUID());
      const other = await addProject(opened.database, randomUUID());
      const paused_at = new Date("2026-03-01T06:00:00Z");
      const row = (given: Partial<ScheduleRow>) => scheduleRow({ project_id: shop, ...given });
      const rows = [
        row({}),
        row({}),
        row({ is_enabled: false }),
        row({ paused_at }),
        row({ is_enabled: false, paused_at }),
      ];
      const foreign = scheduleRow({ project_id: other, paused_at });
      await opened.database.write((tx) =>
        tx
          .insertInto("schedules")
          .values([...rows, foreign])
          .execute(),
      );
    });

    test("are those of the project, paused ones counted apart from enabled ones", async () => {
      expect(await countSchedules(opened.database.read, shop)).toEqual({ enabled: 3, paused: 2 });
      expect(await countSchedules(opened.database.read, randomUUID())).toEqual({ enabled: 0, paused: 0 });
    });

    // PostgreSQL prefers a scan while the table is small.
    if (dialect !== "sqlite") return;
    test("are read from indexes alone", async () => {
      const plan = await plansOf(opened.database, (db) => countSchedules(db, shop));
      expect(plan.match(/COVERING INDEX \w+/g)).toEqual([
        expect.stringMatching(/schedules_by_/),
        "COVERING INDEX schedules_disabled",
        "COVERING INDEX schedules_paused",
      ]);
    });
  });
}
