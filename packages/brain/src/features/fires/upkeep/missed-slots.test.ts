import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { after, slot, useFires } from "../../../../test/fixtures/schedules/fires.ts";
import { plansOf } from "../../../../test/query-plans.ts";
import { ownScheduleRow } from "../../../../test/rows/fire-rows.ts";
import { createMetrics } from "../../../platform/metrics.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { limitedSchedules, type OverdueSchedule, overdueSchedules } from "./misfire-store.ts";
import { createMisfires, type SweepLimits } from "./misfires.ts";
import { missedSlots } from "./missed-slots.ts";

const never = new AbortController().signal;
const minutes = (count: number) => after(60 * count);

describe("the slots of an outage", () => {
  const schedule = ownScheduleRow({ project_id: "p", next_run_at: slot });
  const overdue = (given: Partial<OverdueSchedule> = {}): OverdueSchedule => ({
    ...{ ...schedule, newest_missed_at: null, missed: 0 },
    ...given,
  });
  const slotsOf = (given: Partial<OverdueSchedule>, range: Partial<Parameters<typeof missedSlots>[1]> = {}) =>
    missedSlots(overdue(given), { due: minutes(5), keptFrom: minutes(-1), limit: 100, ...range });

  test("begin at the cursor and end before the grace time", () => {
    expect(slotsOf({})).toEqual([0, 1, 2, 3, 4].map(minutes));
    const cron = { kind: "cron", expression: "*/2 * * * *" };
    expect(slotsOf(cron)).toEqual([0, 2, 4].map(minutes));
  });

  test("continue after the newest one that is reported", () => {
    expect(slotsOf({ newest_missed_at: minutes(2), missed: 3 })).toEqual([3, 4].map(minutes));
    expect(slotsOf({ newest_missed_at: minutes(4), missed: 5 })).toEqual([]);
  });

  test("are limited for each call, and to 10,000 for the outage", () => {
    expect(slotsOf({}, { limit: 2 })).toEqual([0, 1].map(minutes));
    expect(slotsOf({}, { limit: 0 })).toEqual([]);
    expect(slotsOf({ newest_missed_at: minutes(2), missed: 9_999 })).toEqual([minutes(3)]);
    expect(slotsOf({ newest_missed_at: minutes(2), missed: 10_000 })).toEqual([]);
    expect(slotsOf({}, { due: minutes(20_000), limit: 20_000 })).toHaveLength(10_000);
  });

  test("are not reported again after the retention of their misfires", () => {
    expect(slotsOf({}, { keptFrom: minutes(2.5) })).toEqual([3, 4].map(minutes));
    expect(slotsOf({ newest_missed_at: minutes(1), missed: 2 }, { keptFrom: minutes(3) })).toEqual(
      [2, 3, 4].map(minutes),
    );
  });

  test("are only the first one for an expression that is not understood", () => {
    expect(slotsOf({ timezone: "Moon/Base", kind: "cron", expression: "* * * * *" })).toEqual([slot]);
  });
});

for (const dialect of testDialects) {
  describe(`the sweep for missed slots on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fires = useFires(opened);
    const { open, clock, newProject, newSchedule } = fires;
    beforeEach(async () => {
      clock.setWall(slot);
      fires.entries.length = 0;
      await opened.database.write((tx) => tx.deleteFrom("schedules").execute());
    });

    const sweeping = (limits?: Partial<SweepLimits>) => {
      const all = { rows: 20_000, slotsPerSchedule: 1000, firesPerRead: 100, schedulesPerRead: 100, ...limits };
      const { database } = opened;
      return createMisfires({ ...fires, database, metrics: createMetrics() }, all);
    };
    const slotsOf = async ({ id }: ScheduleRow): Promise<Date[]> => {
      const rows = opened.database.read.selectFrom("misfire_alerts").select("expected_fire_at");
      const found = await rows.where("schedule_id", "=", id).orderBy("expected_fire_at").execute();
      return found.map(({ expected_fire_at }) => expected_fire_at);
    };
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => minutes(index));

    test("reports each slot of an outage once, with its own lateness and an audit row", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const misfires = sweeping();
      const found: number[] = [];
      for (const minute of [2.5, 3.5, 3.6, 30.5]) {
        clock.setWall(minutes(minute));
        found.push(await misfires.sweepMissed(never));
      }
      expect(found).toEqual([2, 1, 0, 27]);
      expect(await slotsOf(schedule)).toEqual(upTo(30));
      expect(fires.entries.map(({ metadata }) => metadata?.expected_fire_at)).toEqual(
        upTo(30).map((at) => at.toISOString()),
      );
      expect(fires.entries.slice(0, 3).map(({ metadata }) => metadata?.lateness_seconds)).toEqual([150, 90, 90]);
    });

    test("is continued by another process, and two at once report nothing twice", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      clock.setWall(minutes(4.5));
      await sweeping().sweepMissed(never);
      clock.setWall(minutes(9.5));
      const other = await opened.openAgain();
      const found = await Promise.all([sweeping(), open(other).fires.misfires].map((one) => one.sweepMissed(never)));
      await other.close();
      expect(found[0]! + found[1]!).toBe(5);
      expect(await slotsOf(schedule)).toEqual(upTo(9));
      expect(fires.entries).toHaveLength(9);
    });

    test("reports only what is left after the cursor has moved, and a later outage as a new one", async () => {
      const schedule = await newSchedule({ project_id: await newProject() });
      const misfires = sweeping();
      clock.setWall(minutes(3.5));
      await misfires.sweepMissed(never);
      const moveTo = (next_run_at: Date) =>
        opened.database.write((tx) =>
          tx.updateTable("schedules").set({ next_run_at }).where("id", "=", schedule.id).execute(),
        );
      await moveTo(minutes(1));
      expect(await misfires.sweepMissed(never)).toBe(0);
      await moveTo(minutes(60));
      expect(await misfires.sweepMissed(never)).toBe(0);
      clock.setWall(minutes(62.5));
      expect(await misfires.sweepMissed(never)).toBe(2);
      expect(await slotsOf(schedule)).toEqual([...upTo(3), minutes(60), minutes(61)]);
    });

    test("takes a part of a schedule's slots, and all of them in the end", async () => {
      const project_id = await newProject();
      const long = await newSchedule({ project_id });
      const short = await newSchedule({ project_id, next_run_at: minutes(25) });
      clock.setWall(minutes(30.5));
      const misfires = sweeping({ slotsPerSchedule: 12 });
      const found = [await misfires.sweepMissed(never), await misfires.sweepMissed(never)];
      expect(found).toEqual([12 + 5, 12]);
      expect(await slotsOf(short)).toHaveLength(5);
      expect(await misfires.sweepMissed(never)).toBe(6);
      expect(await slotsOf(long)).toEqual(upTo(30));
    });

    test("ends at its limit, and the next one continues with the schedules that it did not reach", async () => {
      const project_id = await newProject();
      const schedules: ScheduleRow[] = [];
      for (let index = 0; index < 7; index += 1) {
        // The first five are due at the same instant.
        schedules.push(await newSchedule({ project_id, next_run_at: minutes(Math.max(0, index - 4)) }));
      }
      clock.setWall(minutes(4.5));
      const misfires = sweeping({ rows: 7, slotsPerSchedule: 2, schedulesPerRead: 3 });
      const counts = async () => (await Promise.all(schedules.map(slotsOf))).map(({ length }) => length);
      const sums: number[] = [];
      for (let sweep = 0; sweep < 2; sweep += 1) {
        await misfires.sweepMissed(never);
        sums.push((await counts()).reduce((sum, count) => sum + count, 0));
      }
      // Three schedules and a part of the fourth, then the others.
      expect(sums).toEqual([7, 13]);
      expect((await counts()).every((count) => count >= 1)).toBe(true);
      for (let sweep = 0; sweep < 4; sweep += 1) await misfires.sweepMissed(never);
      expect(await counts()).toEqual([4, 4, 4, 4, 4, 3, 2]);
    });

    test("ends early when the process stops", async () => {
      const project_id = await newProject();
      for (let index = 0; index < 3; index += 1) await newSchedule({ project_id });
      clock.setWall(minutes(1.5));
      expect(await sweeping({ schedulesPerRead: 1 }).sweepMissed(AbortSignal.abort())).toBe(1);
    });

    // PostgreSQL prefers a scan while the table is small.
    if (dialect !== "sqlite") return;
    test("finds schedules by index", async () => {
      const { database } = opened;
      const after = { id: "11111111-2222-4333-8444-555555555555", next_run_at: slot };
      const plan = await plansOf(database, (db) => overdueSchedules(db, { due: slot, after, limit: 10 }));
      expect(plan).toContain("schedules_due");
      expect(await plansOf(database, (db) => limitedSchedules(db, after.id, 10))).toContain("schedules_limited");
    });
  });
}
