import { describe, expect, test } from "vitest";
import { barHeight, cellText, p95Of, type StripFire, stripCells, stripPaths, stripSummary } from "./strip-cells.ts";

const minute = (at: number) => new Date(Date.UTC(2026, 2, 1, 6, at)).toISOString();
const fire = (at: number, more: Partial<StripFire> = {}): StripFire => ({
  fire_id: `f-${at}`,
  status: "acked_success",
  scheduled_for: minute(at),
  fired_at: minute(at),
  ...more,
});
const slotsOf = (cells: ReturnType<typeof stripCells>) =>
  cells.map(({ slotMs, fire }) => `${fire ? "" : "missed "}${new Date(slotMs).getUTCMinutes()}`);

describe("the cells", () => {
  test("are in the order of their slots, with missed slots between the fires", () => {
    expect(slotsOf(stripCells([fire(3), fire(1)], [minute(2)]))).toEqual(["1", "missed 2", "3"]);
  });

  test("contain a slot once, as fired, if it was fired after all", () => {
    expect(slotsOf(stripCells([fire(2), fire(1)], [minute(2), minute(2)]))).toEqual(["1", "2"]);
  });

  test("are the newest ones, and missed slots before the oldest of many fires are left out", () => {
    const fires = [fire(9), fire(8), fire(7)];
    expect(slotsOf(stripCells(fires, [minute(6)], 3))).toEqual(["7", "8", "9"]);
    expect(slotsOf(stripCells(fires, [minute(10)], 3))).toEqual(["8", "9", "missed 10"]);
    expect(slotsOf(stripCells(fires, [minute(6)], 9))).toEqual(["missed 6", "7", "8", "9"]);
  });
});

test("a bar is higher in each bucket of latency", () => {
  const heights = [0, 99, 100, 999, 1_000, 9_999, 10_000, 59_999, 60_000, 900_000].map((latency_ms) =>
    barHeight({ latency_ms }),
  );
  expect(heights).toEqual([8, 8, 11, 11, 14, 14, 17, 17, 20, 20]);
  expect(barHeight({})).toBe(barHeight({ latency_ms: null }));
});

describe("the paths", () => {
  const cells = stripCells(
    [
      fire(1),
      fire(2, { status: "acked_failed", latency_ms: 50 }),
      fire(3, { status: "buffer_expired" }),
      fire(4, { status: "operator_skipped" }),
      fire(5),
    ],
    [minute(6)],
  );
  const { bars, marks } = stripPaths(cells);

  test("are one per tone", () => {
    expect(bars.map(({ tone }) => tone)).toEqual(["done", "failed", "buffered", "missed"]);
    expect(marks.map(({ tone }) => tone)).toEqual(["failed", "buffered", "skipped"]);
  });

  test("start at their cells", () => {
    expect(bars[0]?.d.match(/M\S+/g)).toEqual(["M0", "M40"]);
    expect(bars[1]?.d).toBe("M10 14h8v8h-8z");
    expect(bars[3]?.d).toMatch(/^M50[.]5 /);
    expect(marks[2]?.d).toMatch(/^M30 22m1 -8h6$/);
  });
});

test("the summary counts each group in the order of its first cell", () => {
  expect(stripSummary(stripCells([fire(1), fire(2, { status: "failed" }), fire(3)], [minute(4)]))).toBe(
    "4 slots, oldest first: 2 done, 1 failed, 1 missed",
  );
  expect(stripSummary(stripCells([fire(1)]))).toBe("1 slot, oldest first: 1 done");
});

describe("the tooltip", () => {
  const only = (one: StripFire) => {
    const [cell] = stripCells([one]);
    return cell ? cellText(cell, "Europe/Berlin") : "";
  };

  test("names plan, status, fire, latency and code", () => {
    const failed = fire(0, { status: "acked_failed", fired_at: minute(2), latency_ms: 1_500, error_code: "boom" });
    expect(only(failed).split("\n")).toEqual([
      "Planned 2026-03-01 07:00 Europe/Berlin",
      "Failed",
      "Fired 2026-03-01 07:02",
      "Latency 1.5 s",
      "Error boom",
    ]);
  });

  test("leaves out what is unknown", () => {
    expect(only(fire(0, { status: "pending", latency_ms: null, error_code: null })).split("\n")).toHaveLength(3);
  });

  test("says that a slot was missed", () => {
    const [cell] = stripCells([], [minute(0)]);
    expect(cell && cellText(cell, "UTC")).toBe("Planned 2026-03-01 06:00 UTC\nMissed: not fired");
  });
});

test("the 95th percentile is of measured fires alone", () => {
  expect(p95Of([])).toBeNull();
  expect(p95Of([{ latency_ms: null }, {}])).toBeNull();
  expect(p95Of([{ latency_ms: 0 }])).toBe(0);
  expect(p95Of([{ latency_ms: null }, ...Array.from({ length: 100 }, (_, at) => ({ latency_ms: at + 1 }))])).toBe(95);
});
