import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterDelta } from "../../../test/counter-rows.ts";
import { projectTotals } from "./reads.ts";
import { hoursBegin, minutesBegin, stretchesOf } from "./time-range.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const now = new Date();
const thisMinute = Math.floor(now.getTime() / minuteMs);
const kinds = ["task.succeeded", "task.failed"];

describe("the stretches of a range", () => {
  test("follow on one another, are aligned, and hold no hours where only days are kept", () => {
    const minutes = fc.integer({ min: 0, max: 90 * 24 * 60 });
    const widths = fc.constantFrom(5 * minuteMs, 15 * minuteMs, 30 * minuteMs, hourMs, dayMs, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(minutes, minutes, widths, (a, b, widthMs) => {
        fc.pre(a !== b);
        const to = new Date(now.getTime() - Math.min(a, b) * minuteMs);
        const from = new Date((thisMinute - Math.max(a, b)) * minuteMs);
        const stretches = stretchesOf({ from, to }, { widthMs, now });
        expect(stretches.map((stretch) => stretch.from)).toEqual([
          from,
          ...stretches.slice(0, -1).map((each) => each.to),
        ]);
        const wholeHour = new Date(Math.ceil(to.getTime() / hourMs) * hourMs);
        expect(stretches.at(-1)?.to).toEqual(to < minutesBegin(now) ? wholeHour : to);
        for (const { grain, from: start, to: end } of stretches) {
          expect(start < end).toBe(true);
          if (grain === null) continue;
          expect(start.getTime() % (grain * minuteMs)).toBe(0);
          if (end < now) expect(end.getTime() % (grain * minuteMs)).toBe(0);
          if (grain < 1440) expect(start >= hoursBegin(now)).toBe(true);
          if (Number.isFinite(widthMs)) expect(widthMs % (grain * minuteMs)).toBe(0);
        }
      }),
    );
  });

  test("of a day are few, however it lies", () => {
    const range = { from: new Date(thisMinute * minuteMs - dayMs), to: now };
    expect(stretchesOf(range, { widthMs: Number.POSITIVE_INFINITY, now }).length).toBeLessThanOrEqual(7);
  });
});

for (const dialect of testDialects) {
  describe(`totals of a project on ${dialect}`, () => {
    let brain: TestBrain;
    // Each minute of four days has its own number of ends, of some names and in some queues; the older two days are kept by the hour.
    const minutesBack = 4 * 24 * 60;
    const byMinute = Math.ceil(minutesBegin(now).getTime() / minuteMs);
    /** A range as it is counted: older hours in which it begins or ends are counted whole. */
    const countedFrom = (minute: number): number => (minute < byMinute ? Math.floor(minute / 60) * 60 : minute);
    const countedTo = (minute: number): number => (minute < byMinute ? Math.ceil(minute / 60) * 60 : minute);
    const countAt = (minute: number): number => 1 + (minute % 7);

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      const changes = Array.from({ length: minutesBack }, (_, index) => {
        const minute = thisMinute - index;
        return counterDelta({
          project_id: brain.project.id,
          bucket_at: new Date(minute * minuteMs),
          kind: kinds[minute % 2] as string,
          count: countAt(minute),
          name: `name-${minute % 3}`,
          queue: `queue-${minute % 5}`,
        });
      });
      await brain.running.brain.database.write(async (tx) => {
        for (let start = 0; start < changes.length; start += 500) {
          await tx
            .insertInto("counter_deltas")
            .values(changes.slice(start, start + 500))
            .execute();
        }
      });
      await brain.runLoop("stats.fold-counters");
      await brain.runLoop("stats.compact-rollups");
    });
    afterAll(() => brain.stop());

    test("are what a sum over every minute gives, for any range and any width of its parts", async () => {
      const { database } = brain.running.brain;
      const minute = fc.integer({ min: 1, max: minutesBack - 60 });
      const widths = fc.constantFrom(5 * minuteMs, 15 * minuteMs, hourMs, dayMs, Number.POSITIVE_INFINITY);
      await fc.assert(
        fc.asyncProperty(minute, minute, widths, fc.boolean(), async (a, b, widthMs, isOpen) => {
          fc.pre(a !== b);
          const first = countedFrom(thisMinute - Math.max(a, b));
          const end = isOpen ? thisMinute + 1 : thisMinute - Math.min(a, b);
          const range = { from: new Date(first * minuteMs), to: isOpen ? now : new Date(end * minuteMs) };
          const rows = await projectTotals(database, { projectId: brain.project.id, kinds }, range, { widthMs, now });
          const expected = new Map<string, number>();
          for (let at = first; at < countedTo(end); at += 1) {
            const kind = kinds[at % 2] as string;
            expected.set(kind, (expected.get(kind) ?? 0) + countAt(at));
          }
          const found = new Map<string, number>();
          for (const { kind, count } of rows) found.set(kind, (found.get(kind) ?? 0) + count);
          expect(new Map([...found].sort())).toEqual(new Map([...expected].sort()));
        }),
        { numRuns: 60 },
      );
    });
  });
}
