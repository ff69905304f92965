import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { plansOf } from "../../../../test/query-plans.ts";
import { fireRow, ownScheduleRow, plantFires } from "../../../../test/rows/fire-rows.ts";
import { scheduleRow } from "../../../../test/rows/schedule-rows.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { createLists } from "./list.ts";
import { countSchedules, heldSchedules } from "./reads.ts";

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

    test("of stopped ones are quarantined schedules, and disabled ones whose newest fires failed", async () => {
      const { database } = opened;
      const project_id = await addProject(database, randomUUID());
      const row = (given: Partial<ScheduleRow>) => ownScheduleRow({ project_id, ...given });
      const tripped = row({ is_enabled: false });
      const disabled = row({ is_enabled: false });
      const failing = row({});
      const quarantined_at = new Date("2026-03-01T06:00:00Z");
      const rows = [tripped, disabled, failing, row({ quarantined_at }), row({ quarantined_at, is_enabled: false })];
      const fires = [tripped, disabled, failing].flatMap((schedule) =>
        [1, 2, 3, 4, 5].map((minute) =>
          fireRow({
            ...{ project_id, schedule_id: schedule.id },
            fired_at: new Date(quarantined_at.getTime() + minute * 60_000),
            // Its newest fire succeeded.
            status: schedule === disabled && minute === 5 ? "acked_success" : "acked_failed",
          }),
        ),
      );
      await database.write((tx) => tx.insertInto("schedules").values(rows).execute());
      await plantFires(database, fires);
      const lists = (threshold: number) =>
        createLists({
          database,
          clock: systemClock,
          settings: {
            SVC_REST_DEFAULT_PAGE_SIZE: 50,
            SVC_REST_MAX_PAGE_SIZE: 500,
            SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: threshold,
          },
        });
      expect(await lists(5).countStopped(project_id)).toBe(3);
      // The circuit breaker is off.
      expect(await lists(0).countStopped(project_id)).toBe(2);
      expect(await lists(5).countByState(project_id)).toEqual({ enabled: 2, paused: 0, stopped: 3 });
    });

    // PostgreSQL prefers a scan while the table is small.
    if (dialect !== "sqlite") return;
    test("are read from indexes alone", async () => {
      const held = await plansOf(opened.database, (db) => heldSchedules(db, shop, 500));
      expect(held).toMatch(/schedules_quarantined[\s\S]*schedules_disabled/);
      const plan = await plansOf(opened.database, (db) => countSchedules(db, shop));
      expect(plan.match(/COVERING INDEX \w+/g)).toEqual([
        expect.stringMatching(/schedules_by_/),
        "COVERING INDEX schedules_disabled",
        "COVERING INDEX schedules_paused",
      ]);
    });
  });
}
