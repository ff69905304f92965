import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const limits = { atOnce: 1, perSource: 1, maxWaiting: 64 };

/** A queue whose jobs end when the test says so, in the order in which they began. */
function queue(changes: Partial<typeof limits>, isPreferred?: (source: string) => boolean) {
  const began: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const inTurn = createFairQueue({ ...limits, ...changes }, () => new Error("full"), isPreferred);
  const ask = (source: string, name: string) =>
    inTurn(source, () => {
      began.push(name);
      return new Promise<void>((end) => ends.push(end));
    }).catch(() => void refused.push(name));
  const turn = () => new Promise((go) => setImmediate(go));
  async function endAll() {
    await turn();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await turn();
    }
  }
  return { began, refused, ask, turn, endAll };
}

test("sources take turns, however many jobs each has", async () => {
  const { began, refused, ask, endAll } = queue({});
  for (let n = 0; n < 20; n += 1) void ask("flood", `flood ${n}`);
  void ask("user", "user 0");
  void ask("user", "user 1");
  await endAll();
  expect(began).toHaveLength(22);
  expect(began.slice(0, 7)).toEqual(["flood 0", "flood 1", "user 0", "flood 2", "user 1", "flood 3", "flood 4"]);
  expect(refused).toEqual([]);
});

test("a source cannot use all slots", async () => {
  const { began, ask, turn, endAll } = queue({ atOnce: 2 });
  for (let n = 0; n < 5; n += 1) void ask("flood", `flood ${n}`);
  await turn();
  expect(began).toEqual(["flood 0"]);
  void ask("user", "user 0");
  await turn();
  expect(began).toEqual(["flood 0", "user 0"]);
  await endAll();
  expect(began).toHaveLength(6);
});

test("a full queue refuses the newest jobs of the source with the most", async () => {
  const { began, refused, ask, endAll } = queue({ maxWaiting: 4 });
  for (let n = 0; n < 7; n += 1) void ask("flood", `flood ${n}`);
  void ask("user", "user 0");
  void ask("other", "other 0");
  await endAll();
  expect(refused).toEqual(["flood 5", "flood 6", "flood 4", "flood 3"]);
  expect(began).toEqual(["flood 0", "flood 1", "user 0", "other 0", "flood 2"]);
});

test("a queue that is full of single jobs refuses the new one", async () => {
  const { began, refused, ask, endAll } = queue({ maxWaiting: 3 });
  for (let n = 0; n < 6; n += 1) void ask(`source ${n}`, `work ${n}`);
  await endAll();
  expect(refused).toEqual(["work 4", "work 5"]);
  expect(began).toEqual(["work 0", "work 1", "work 2", "work 3"]);
});

test("a preferred source goes first, and takes the place of another in a full queue", async () => {
  const { began, refused, ask, endAll } = queue({ maxWaiting: 3 }, (source) => source.startsWith("user"));
  for (let n = 0; n < 4; n += 1) void ask(`stranger ${n}`, `stranger ${n}`);
  for (let n = 0; n < 4; n += 1) void ask("user", `user ${n}`);
  await endAll();
  expect(refused).toEqual(["stranger 3", "stranger 2", "stranger 1", "user 3"]);
  expect(began).toEqual(["stranger 0", "user 0", "user 1", "user 2"]);
});

test("a job that fails releases its slot", async () => {
  const inTurn = createFairQueue({ ...limits, maxWaiting: 4 }, () => new Error("full"));
  const failing = inTurn("a", () => Promise.reject(new Error("broken")));
  const second = inTurn("a", async () => "done");
  await expect(failing).rejects.toThrow("broken");
  expect(await second).toBe("done");
  expect(await inTurn("b", async () => "again")).toBe("again");
});
