import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createListSummary, type ListSummary, summaryMs } from "./list-summary.ts";

let said: string[];
let summary: ListSummary;
const spoken = () => said.filter((text) => text !== "");
const counts = (arrivedCount: number, failedCount = 0) => ({ arrivedCount, failedCount });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  said = [];
  summary = createListSummary((text) => said.push(text));
});
afterEach(() => {
  summary.stop();
  vi.useRealTimers();
});

test("the first changes are announced at once, later ones together after ten seconds", () => {
  summary.count(counts(1));
  summary.count(counts(11, 1));
  summary.count(counts(18, 2));
  vi.advanceTimersByTime(summaryMs - 1);
  expect(spoken()).toEqual(["1 new"]);
  vi.advanceTimersByTime(1);
  expect(spoken()).toEqual(["1 new", "17 new, 2 failed"]);
});

test("equal texts are announced twice, as the text is cleared in between", () => {
  summary.count(counts(0, 1));
  vi.advanceTimersByTime(summaryMs);
  summary.count(counts(0, 2));
  expect(said).toEqual(["1 failed", "", "1 failed"]);
});

test("nothing is announced without changes", () => {
  summary.count(counts(0));
  vi.advanceTimersByTime(summaryMs * 3);
  expect(said).toEqual([]);
});

test("nothing is announced while updates are paused, and everything afterwards", () => {
  summary.pause(true);
  summary.count(counts(3));
  summary.count(counts(4, 1));
  vi.advanceTimersByTime(summaryMs * 2);
  expect(said).toEqual([]);
  summary.pause(false);
  expect(spoken()).toEqual(["4 new, 1 failed"]);
});

test("announcements are ten seconds apart and include each task once, for any input", () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 15_000 }),
    arrived: fc.nat(50),
    failed: fc.nat(5),
    isPaused: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let nowMs = 0;
      const announced: { atMs: number; text: string }[] = [];
      const one = createListSummary((text) => text !== "" && announced.push({ atMs: nowMs, text }));
      const advance = (waitMs: number) => {
        for (let passed = 0; passed < waitMs; passed += 250) {
          nowMs += 250;
          vi.advanceTimersByTime(250);
        }
      };
      let sum = counts(0);
      for (const { waitMs, arrived, failed, isPaused } of steps) {
        advance(waitMs);
        one.pause(isPaused);
        sum = counts(sum.arrivedCount + arrived, sum.failedCount + failed);
        one.count(sum);
      }
      one.pause(false);
      advance(summaryMs);
      one.stop();
      const gaps = announced.slice(1).map(({ atMs }, at) => atMs - (announced[at]?.atMs ?? 0));
      expect(gaps.every((gapMs) => gapMs >= summaryMs)).toBe(true);
      const total = (word: string) =>
        announced.reduce((all, { text }) => all + Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0), 0);
      expect([total("new"), total("failed")]).toEqual([sum.arrivedCount, sum.failedCount]);
    }),
  );
});
