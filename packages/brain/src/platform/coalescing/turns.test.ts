import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

/** Runs that last until they are ended by hand. */
function manual() {
  const begun: string[] = [];
  const ends: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const faults: string[] = [];
  const begins = new Set<() => void>();
  const turns = createTurns<number>(
    (key) => {
      begun.push(key);
      for (const heard of begins) heard();
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
    (key, error) => faults.push(`${key} ${error.message}`),
  );
  const next = () =>
    new Promise<void>((resolve) => {
      const heard = () => {
        begins.delete(heard);
        resolve();
      };
      begins.add(heard);
    });
  return { turns, begun, ends, faults, next };
}

test("Those who ask while a run is under way get one more run together, which begins after it", async () => {
  const { turns, begun, ends } = manual();
  const first = turns.ask("a");
  const [second, third] = [turns.ask("a"), turns.ask("a")];
  expect(begun).toEqual(["a"]);
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(begun).toEqual(["a", "a"]);
  ends[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  expect(begun).toHaveLength(2);
  await turns.stop();
});

test("Keys do not wait for each other", async () => {
  const { turns, begun, ends } = manual();
  const asked = [turns.ask("a"), turns.ask("b")];
  expect(begun).toEqual(["a", "b"]);
  for (const { resolve } of ends) resolve(0);
  await Promise.all(asked);
  await turns.stop();
});

test("A run that fails is told, thrown, and repeated until one succeeds", async () => {
  const { turns, begun, ends, faults, next } = manual();
  const asked = turns.ask("a");
  const again = next();
  ends[0]?.reject(new Error("away"));
  await expect(asked).rejects.toThrow("away");
  expect(faults).toEqual(["a away"]);
  await again;
  const onceMore = next();
  ends[1]?.reject(new Error("still away"));
  await onceMore;
  ends[2]?.resolve(0);
  await turns.stop();
  expect(begun).toHaveLength(3);
  expect(faults).toEqual(["a away", "a still away"]);
});

test("Who asked during a run that failed gets the next one at once", async () => {
  const { turns, ends } = manual();
  const first = turns.ask("a");
  const second = turns.ask("a");
  ends[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await Promise.resolve();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
  await turns.stop();
});

test("Once stopped nothing begins any more, and what is under way is waited for", async () => {
  const { turns, begun, ends } = manual();
  const first = turns.ask("a");
  const second = turns.ask("a");
  const stopped = turns.stop();
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await stopped;
  expect(await second).toBeUndefined();
  expect(await turns.ask("b")).toBeUndefined();
  expect(begun).toEqual(["a"]);
});
