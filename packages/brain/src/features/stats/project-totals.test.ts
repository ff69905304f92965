import { createFakeClock } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterDelta, noteChanges } from "../../../test/rows/counter-rows.ts";
import { hoursBegin, minutesBegin } from "./counters/buckets.ts";
import { projectTotals, rollupTotals } from "./reads.ts";
import { coveredParts } from "./time-range.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const now = new Date();
const thisMinute = Math.floor(now.getTime() / minuteMs);
const kinds = ["task.succeeded", "task.failed"];

describe("the parts of a range", () => {
  test("are adjacent, aligned, and contain no hours where only days are kept", () => {
    const minutes = fc.integer({ min: 0, max: 90 * 24 * 60 });
    const widths = fc.constantFrom(5 * minuteMs, 15 * minuteMs, 30 * minuteMs, hourMs, dayMs, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(minutes, minutes, widths, (a, b, widthMs) => {
        fc.pre(a !== b);
        const to = new Date(now.getTime() - Math.min(a, b) * minuteMs);
        const from = new Date((thisMinute - Math.max(a, b)) * minuteMs);
        const parts = coveredParts({ from, to }, { widthMs, now });
        expect(parts.map((part) => part.from)).toEqual([from, ...parts.slice(0, -1).map((each) => each.to)]);
        const wholeHour = new Date(Math.ceil(to.getTime() / hourMs) * hourMs);
        expect(parts.at(-1)?.to).toEqual(to < minutesBegin(now) ? wholeHour : to);
        for (const { grain, from: start, to: end } of parts) {
          expect(start < end).toBe(true);
          if (grain === null) continue;
          expect(start.getTime() % (grain * minuteMs)).toBe(0);
          if (end < now) expect(end.getTime() % (grain * minuteMs)).toBe(0);
          if (grain < 1440) expect(start >= hoursBegin(now)).toBe(true);
          if (!Number.isFinite(widthMs)) continue;
          expect([widthMs % (grain * minuteMs), from.getTime() % (grain * minuteMs)]).toEqual([0, 0]);
        }
      }),
    );
  });

  test("of a day are few, wherever it starts", () => {
    const range = { from: new Date(thisMinute * minuteMs - dayMs), to: now };
    const parts = { widthMs: Number.POSITIVE_INFINITY, now };
    expect(coveredParts(range, parts).length).toBeLessThanOrEqual(7);
  });
});

for (const dialect of testDialects) {
  describe(`totals of a project on ${dialect}`, () => {
    let brain: TestBrain;
    // Each minute of four days has its own number of ended tasks, of some names and in some queues; the older two days are kept by the hour.
    const minutesBack = 4 * 24 * 60;
    const byMinute = Math.ceil(minutesBegin(now).getTime() / minuteMs);
    /** A range as it is counted: older hours in which it starts or ends are counted whole. */
    const countedFrom = (minute: number): number => (minute < byMinute ? Math.floor(minute / 60) * 60 : minute);
    const countedTo = (minute: number): number => (minute < byMinute ? Math.ceil(minute / 60) * 60 : minute);
    const countAt = (minute: number): number => 1 + (minute % 7);
    const kindAt = (minute: number): string => kinds[minute % 2] as string;
    const queueAt = (minute: number): string => `queue-${minute % 5}`;

    beforeAll(async () => {
      brain = await startTestBrain({ dialect, clock: createFakeClock(now) });
      const { database } = brain.running.brain;
      const changes = Array.from({ length: minutesBack }, (_, index) => {
        const minute = thisMinute - index;
        return counterDelta({
          project_id: brain.project.id,
          bucket_at: new Date(minute * minuteMs),
          kind: kindAt(minute),
          count: countAt(minute),
          name: `name-${minute % 3}`,
          queue: queueAt(minute),
        });
      });
      await noteChanges(database, changes);
      await brain.runLoop("stats.fold-counters");
      await brain.runLoop("stats.compact-rollups");
    });
    afterAll(() => brain.stop());

    const sumsOf = (rows: Iterable<readonly [kind: string, count: number]>) => {
      const sums: Record<string, number> = {};
      for (const [kind, count] of rows) sums[kind] = (sums[kind] ?? 0) + count;
      return sums;
    };
    const expectedIn = (first: number, end: number, isCounted: (minute: number) => boolean) => {
      const minutes = Array.from({ length: countedTo(end) - first }, (_, index) => first + index);
      return sumsOf(minutes.filter(isCounted).map((minute) => [kindAt(minute), countAt(minute)]));
    };

    test("equal a sum over every minute, for any range and any width of its parts", async () => {
      const { database } = brain.running.brain;
      const minute = fc.integer({ min: 1, max: minutesBack - 60 });
      const widths = fc.constantFrom(5 * minuteMs, 15 * minuteMs, hourMs, dayMs, Number.POSITIVE_INFINITY);
      const flags = fc.record({ isOpen: fc.boolean(), isAligned: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(minute, minute, widths, flags, async (a, b, widthMs, { isOpen, isAligned }) => {
          fc.pre(a !== b);
          const unit = isAligned && widthMs < dayMs ? widthMs / minuteMs : 1;
          const first = countedFrom(Math.ceil((thisMinute - Math.max(a, b)) / unit) * unit);
          const end = isOpen ? thisMinute + 1 : thisMinute - Math.min(a, b);
          fc.pre(first < end);
          const range = { from: new Date(first * minuteMs), to: isOpen ? now : new Date(end * minuteMs) };
          const scope = { projectId: brain.project.id, kinds };
          const rows = await projectTotals(database, scope, range, { widthMs, now });
          const found = sumsOf(rows.map(({ kind, count }) => [kind, count]));
          expect(found).toEqual(expectedIn(first, end, () => true));
        }),
        { numRuns: 60 },
      );
    });

    test("of a queue equal a sum over every minute", async () => {
      const { database } = brain.running.brain;
      const minute = fc.integer({ min: 1, max: minutesBack - 60 });
      await fc.assert(
        fc.asyncProperty(minute, minute, fc.nat(4), async (a, b, queue) => {
          const first = countedFrom(thisMinute - Math.max(a, b));
          const end = countedTo(thisMinute - Math.min(a, b));
          const range = { from: new Date(first * minuteMs), to: new Date(end * minuteMs) };
          const scope = { projectId: brain.project.id, kinds, queue: `queue-${queue}` };
          const rows = await rollupTotals(database, scope, range);
          const found = sumsOf(rows.map(({ kind, count }) => [kind, count]));
          expect(found).toEqual(expectedIn(first, end, (at) => queueAt(at) === scope.queue));
        }),
        { numRuns: 40 },
      );
    });
  });
}
