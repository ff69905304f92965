import { expect, test } from "vitest";
import { startInTurn } from "./start-in-turn.ts";

test("jobs start in order, some at a time, and their results are in that order", async () => {
  const started: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const results = startInTurn(
    gates.map(({ promise }, index) => async () => {
      started.push(index);
      await promise;
      return index;
    }),
    2,
  );
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  await settled();
  expect(started).toEqual([0, 1]);
  gates[1]?.resolve();
  await settled();
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
});

test("after a failed job the next one starts", async () => {
  const results = startInTurn([() => Promise.reject(new Error("no")), () => Promise.resolve("next")], 1);
  await expect(results[0]).rejects.toThrow("no");
  await expect(results[1]).resolves.toBe("next");
});
