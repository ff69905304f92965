import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countsOver, groupFailures } from "./failure-groups.ts";

const failed = (taskId: string, minute: number, exception: string | null, name = "billing.charge") => ({
  engine: "bullmq",
  task_id: taskId,
  name,
  exception,
  finished_at: new Date(minute * 60_000).toISOString(),
  received_at: new Date(0).toISOString(),
});

describe("failed tasks", () => {
  test("are one group where their errors differ by numbers and ids only", () => {
    const [group, ...others] = groupFailures([
      failed("c", 9, "PaymentError: upstream 503 after 12 s\n    at post"),
      failed("b", 5, "PaymentError: upstream 502 after 8 s", "billing.refund"),
      failed("a", 4, "PaymentError: upstream 503 after 30 s"),
    ]);
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      type: "PaymentError",
      message: "upstream <n> after <n> s",
      names: ["billing.charge", "billing.refund"],
      count: 3,
      firstMs: 240_000,
      lastMs: 540_000,
      newest: { engine: "bullmq", task_id: "c" },
    });
  });

  test("stand in the order of how many there are, then of how new they are", () => {
    const groups = groupFailures([
      failed("d", 9, "B: x"),
      failed("c", 8, "C"),
      failed("b", 3, "A: y"),
      failed("a", 2, "A: y"),
    ]);
    expect(groups.map(({ type }) => type)).toEqual(["A", "B", "C"]);
  });

  test("without an error are a group of their own", () => {
    expect(groupFailures([failed("a", 1, null), failed("b", 2, " ")])).toMatchObject([
      { type: "No error text", message: "", count: 2 },
    ]);
  });
});

describe("countsOver", () => {
  test("counts each part of the range, and nothing outside of it", () => {
    expect(countsOver([-1, 0, 24, 25, 99, 100], { fromMs: 0, toMs: 100 }, 4)).toEqual([2, 1, 0, 1]);
  });

  test("loses nothing that lies in the range", () => {
    const instants = fc.array(fc.integer({ min: 0, max: 999 }));
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 60 }), (at, size) => {
        const counts = countsOver(at, { fromMs: 0, toMs: 1000 }, size);
        expect(counts.reduce((sum, one) => sum + one, 0)).toBe(at.length);
      }),
    );
  });
});
