import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { historyArbitrary, mirrorOf, reportsOf } from "../../../../test/fixtures/schedules/native-schedules.ts";
import { comparePositions } from "./position.ts";
import { nothingKnown, type OwnerState, project } from "./project.ts";
import { type NativeSchedule, readScheduleReport, type ScheduleReport } from "./report.ts";

const head = { projectId: "11111111-2222-4333-8444-555555555555", engine: "bullmq" };
let ids = 0;
function report(kind: string, sequence: number | null, data: Record<string, unknown>, at = 0): ScheduleReport {
  ids += 1;
  const id = `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
  const stream = sequence === null ? {} : { stream: { epoch: 1, sequence } };
  const read = readScheduleReport({ ...head, id, kind, at }, { ...stream, ...data });
  if (read === null) throw new Error("no report");
  expect(read.problem).toBeNull();
  return read.report;
}
const body = (name: string, more: Record<string, unknown> = {}) => ({
  ...{ name, task_name: "mail", kind: "cron", expression: "0 6 * * *" },
  ...more,
});
const updated = (name: string, sequence: number | null, more: Record<string, unknown> = {}) =>
  report("schedule.updated", sequence, { schedule: body(name, more) });
const deleted = (name: string, sequence: number) => report("schedule.deleted", sequence, { name });
const part = (sequence: number, names: readonly string[], [number, parts] = [1, 1], snapshot_id = "s") =>
  report("schedule.snapshot", sequence, {
    ...{ snapshot_id, part: number, parts, reason: "boot" },
    schedules: names.map((name) => body(name)),
  });
const names = ({ rows }: OwnerState) => [...rows.keys()].sort();
const after = (...reports: ScheduleReport[]) => project(nothingKnown, reports);

describe("the projection of schedule events", () => {
  test("depends on the set of reports only, whatever their order, repetition and grouping", () => {
    const delivery = historyArbitrary.chain((history) => {
      const reports = reportsOf(history);
      return fc.record({
        reports: fc.constant(reports),
        order: fc.shuffledSubarray([...reports, ...reports], { minLength: reports.length }),
        sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 200, maxLength: 200 }),
      });
    });
    fc.assert(
      fc.property(delivery, ({ reports, order, sizes }) => {
        let state = nothingKnown;
        // The shuffled part holds a report at most twice and may leave one out, so all follow once more in their own order.
        const all = [...order, ...reports];
        for (const size of sizes) state = project(state, all.splice(0, size));
        expect(contentOf(state)).toEqual(mirrorOf(reports));
      }),
    );
  });

  test("applies a snapshot once all parts are there, with the position of its first part", () => {
    const parts = [part(4, ["a"], [1, 2]), part(5, ["b"], [2, 2])] as const;
    expect(names(after(updated("old", 1), parts[1]))).toEqual(["old"]);
    const whole = after(updated("old", 1), updated("newer", 9), ...parts);
    expect(names(whole)).toEqual(["a", "b", "newer"]);
    expect(whole.floor).toMatchObject({ epoch: 1, sequence: 4 });
    expect(whole.snapshots.size).toBe(0);
  });

  test("does not revive a schedule that a snapshot no longer lists", () => {
    const snapshot = part(5, []);
    expect(names(after(snapshot, updated("late", 3)))).toEqual([]);
    expect(names(after(snapshot, updated("new", 6)))).toEqual(["new"]);
  });

  test("ignores an older snapshot, and keeps a newer deletion from one that still lists the schedule", () => {
    expect(names(after(part(5, ["a"]), part(3, ["b"], [1, 1], "older")))).toEqual(["a"]);
    expect(names(after(deleted("a", 7), part(5, ["a", "b"])))).toEqual(["b"]);
  });

  test("removes tombstones at or below the floor", () => {
    const state = after(deleted("a", 2), deleted("b", 8), part(5, []));
    expect([...state.tombstones.keys()]).toEqual(["b"]);
  });

  test.each([
    ["another part", [part(1, ["a"], [1, 2]), part(3, ["c"], [3, 3]), part(2, ["b"], [2, 2])]],
    ["the same part", [part(1, ["a"], [1, 2]), part(1, ["a"], [1, 3]), part(2, ["b"], [2, 2])]],
  ])("drops a snapshot when %s contradicts the number of parts", (_what, reports) => {
    for (const order of [reports, [reports[1], reports[0], reports[2]] as ScheduleReport[]]) {
      const state = after(...order);
      expect(names(state)).toEqual([]);
      expect(state.floor).toBeNull();
    }
  });

  test("takes the later one of two schedules of a snapshot with one name", () => {
    const twice = report("schedule.snapshot", 1, {
      ...{ snapshot_id: "s", part: 1, parts: 1 },
      schedules: [body("a", { total_runs: 1 }), body("a", { total_runs: 2 })],
    });
    expect(after(twice).rows.get("a")?.schedule?.total_runs).toBe(2);
  });

  test("prefers any position of a stream to an event without one", () => {
    const plain = updated("a", null, { total_runs: 1 });
    const numbered = updated("a", 1, { total_runs: 2 });
    for (const order of [
      [plain, numbered],
      [numbered, plain],
    ])
      expect(after(...order).rows.get("a")?.schedule?.total_runs).toBe(2);
  });

  test("notes that an owner sends positions, also with events that change nothing", () => {
    expect(after(updated("a", null)).isSequenced).toBe(false);
    expect(after(report("schedule.run_started", 1, {})).isSequenced).toBe(true);
  });
});

test("positions compare by epoch, sequence and event id", () => {
  const position = (epoch: number, sequence: number, eventId: string) => ({ epoch, sequence, eventId });
  const ordered = [
    position(0, 9, "b"),
    position(1, 1, "b"),
    position(1, 2, "a"),
    position(1, 2, "b"),
    position(2, 1, "a"),
  ];
  expect([...ordered].reverse().sort(comparePositions)).toEqual(ordered);
});

function contentOf({ rows, tombstones, floor }: OwnerState) {
  return {
    rows: Object.fromEntries(
      [...rows].map(([name, { position, schedule }]) => [name, [position, schedule as NativeSchedule]]),
    ),
    tombstones: Object.fromEntries(tombstones),
    floor,
  };
}
