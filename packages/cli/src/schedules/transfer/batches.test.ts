import { expect, test } from "vitest";
import type { ScheduleDraft } from "../import/conversion.ts";
import { batchesOf, onlyBatch } from "./batches.ts";

const draft = (name: string, kwargs = {}): ScheduleDraft => ({
  name,
  engine: "e",
  kind: "interval",
  expression: "5",
  timezone: "UTC",
  task_name: "t",
  args: [],
  kwargs,
  is_enabled: true,
});
const drafts = (count: number, kwargs = {}) => Array.from({ length: count }, (_, index) => draft(`s${index}`, kwargs));
const sizes = (schedules: readonly ScheduleDraft[]) =>
  batchesOf(schedules).map(({ offset, schedules }) => [offset, schedules.length]);

test("splits by number, and by bytes", () => {
  expect(sizes([])).toEqual([]);
  expect(sizes(drafts(2000))).toEqual([[0, 2000]]);
  expect(sizes(drafts(4001))).toEqual([
    [0, 2000],
    [2000, 2000],
    [4000, 1],
  ]);
  expect(sizes(drafts(9, { text: "x".repeat(100_000) }))).toEqual([
    [0, 5],
    [5, 4],
  ]);
});

test("refuses to replace with several requests", () => {
  expect(onlyBatch(drafts(2000))).toHaveLength(1);
  expect(() => onlyBatch(drafts(2001))).toThrow("--replace accepts at most 2,000 schedules");
});
