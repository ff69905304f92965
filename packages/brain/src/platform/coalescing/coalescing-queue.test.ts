import { expect, test } from "vitest";
import { CoalescingQueue } from "./coalescing-queue.ts";

/** Runs that last until they are ended by hand. */
function manual() {
  const begun: string[] = [];
  const ends: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const faults: string[] = [];
  const begins = new Set<() => void>();
  const queue = new CoalescingQueue<number>(
    (key) => {
      begun.push(key);
      for (const onBegin of begins) onBegin();
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    (key, error) => faults.push(`${key} ${error.message}`),
  );
  const next = () =>
    new Promise<void>((resolve) => {
      const onBegin = () => {
        begins.delete(onBegin);
        resolve();
      };
      begins.add(onBegin);
    });
  return { queue, begun, ends, faults, next };
}

test("Requests during a run share the next one, which begins after it", async () => {
  const { queue, begun, ends } = manual();
  const first = queue.run("a");
  const [second, third] = [queue.run("a"), queue.run("a")];
  expect(begun).toEqual(["a"]);
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(begun).toEqual(["a", "a"]);
  ends[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  expect(begun).toHaveLength(2);
  await queue.stop();
});

test("Keys do not wait for each other", async () => {
  const { queue, begun, ends } = manual();
  const asked = [queue.run("a"), queue.run("b")];
  expect(begun).toEqual(["a", "b"]);
  for (const { resolve } of ends) resolve(0);
  await Promise.all(asked);
  await queue.stop();
});

test("A run that fails is reported, thrown, and repeated until one succeeds", async () => {
  const { queue, begun, ends, faults, next } = manual();
  const asked = queue.run("a");
  const again = next();
  ends[0]?.reject(new Error("away"));
  await expect(asked).rejects.toThrow("away");
  expect(faults).toEqual(["a away"]);
  await again;
  const onceMore = next();
  ends[1]?.reject(new Error("still away"));
  await onceMore;
  ends[2]?.resolve(0);
  await queue.stop();
  expect(begun).toHaveLength(3);
  expect(faults).toEqual(["a away", "a still away"]);
});

test("A request during a failed run gets the next one at once", async () => {
  const { queue, ends } = manual();
  const first = queue.run("a");
  const second = queue.run("a");
  ends[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await Promise.resolve();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
  await queue.stop();
});

test("After a stop nothing begins, and the stop waits for runs in progress", async () => {
  const { queue, begun, ends } = manual();
  const first = queue.run("a");
  const second = queue.run("a");
  const stopped = queue.stop();
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await stopped;
  expect(await second).toBeUndefined();
  expect(await queue.run("b")).toBeUndefined();
  expect(begun).toEqual(["a"]);
});

test("Exclusive work of a key waits for its requested runs, and blocks later ones", async () => {
  const { queue, begun, ends } = manual();
  const first = queue.run("a");
  const second = queue.run("a");
  const other = Promise.withResolvers<string>();
  let hasBegun = false;
  const alone = queue.runAlone("a", () => {
    hasBegun = true;
    return other.promise;
  });
  ends[0]?.resolve(1);
  await first;
  await Promise.resolve();
  expect([begun.length, hasBegun]).toEqual([2, false]);
  ends[1]?.resolve(2);
  await second;
  await new Promise(setImmediate);
  expect(hasBegun).toBe(true);
  const third = queue.run("a");
  expect(begun).toHaveLength(2);
  other.resolve("done");
  expect(await alone).toBe("done");
  await new Promise(setImmediate);
  ends[2]?.resolve(3);
  expect(await third).toBe(3);
  await queue.stop();
});

test("Exclusive work that fails rejects only its caller, and does not end the queue", async () => {
  const { queue, ends, faults } = manual();
  const alone = queue.runAlone("a", () => Promise.reject(new Error("away")));
  const run = queue.run("a");
  await expect(alone).rejects.toThrow("away");
  ends[0]?.resolve(1);
  expect(await run).toBe(1);
  expect(faults).toEqual([]);
  await queue.stop();
});

test("Exclusive work does not begin once stopped", async () => {
  const { queue } = manual();
  await queue.stop();
  expect(await queue.runAlone("a", () => Promise.resolve(1))).toBeUndefined();
});
