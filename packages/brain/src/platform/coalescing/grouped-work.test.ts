import { describe, expect, test } from "vitest";
import { createGroupedWork } from "./grouped-work.ts";

const lost = new Error("the connection was lost");

/** Doubles numbers in groups; the number 13 fails, and -1 loses the connection. */
function doubling(options: { lanes?: number; maxGroup?: number; maxWaiting?: number } = {}) {
  const groups: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const double = createGroupedWork<number, number>({
    async run(numbers) {
      groups.push([...numbers]);
      if (groups.length === 1) await gate.promise;
      if (numbers.includes(-1)) throw lost;
      if (numbers.includes(13)) throw new Error("unlucky");
      return numbers.map((number) => 2 * number);
    },
    isOfAll: (error) => error === lost,
    lanes: 1,
    maxGroup: 100,
    maxWaiting: 1000,
    refusal: () => new Error("too many"),
    ...options,
  });
  return { double, groups, open: () => gate.resolve() };
}

describe("grouped work", () => {
  test("is done together for the requests of one turn, and of the time in which a group is in progress", async () => {
    const { double, groups, open } = doubling();
    const first = [1, 2].map(double);
    await new Promise((resolve) => setImmediate(resolve));
    const second = [3, 4, 5].map(double);
    open();
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  test("has groups of limited size", async () => {
    const { double, groups, open } = doubling({ maxGroup: 2 });
    open();
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1, 2], [3]]);
  });

  test("is tried alone for each request when one fails, in order", async () => {
    const { double, groups, open } = doubling();
    open();
    const results = await Promise.allSettled([1, 13, 3].map(double));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(groups).toEqual([[1, 13, 3], [1], [13], [3]]);
  });

  test("fails for all when the failure concerns all", async () => {
    const { double, groups, open } = doubling();
    open();
    const results = await Promise.allSettled([1, -1].map(double));
    expect(results).toEqual([
      { status: "rejected", reason: lost },
      { status: "rejected", reason: lost },
    ]);
    expect(groups).toHaveLength(1);
  });

  test("is refused when too many wait", async () => {
    const { double, open } = doubling({ maxWaiting: 2 });
    const asked = [1, 2, 3].map(double);
    open();
    const results = await Promise.allSettled(asked);
    expect(results[2]).toMatchObject({ status: "rejected", reason: { message: "too many" } });
    expect(results.slice(0, 2).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });
});
