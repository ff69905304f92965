import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import type { LossGap } from "../../../ui/gap-band/gaps.ts";
import { entriesOf } from "./entries.ts";

const at = (second: number) => Date.UTC(2026, 10, 20, 10, 0, second);
const rows = [50, 40, 30].map((second) =>
  taskRow({ id: `t-${second}`, received_at: new Date(at(second)).toISOString() }),
);
const gap = (fromSecond: number, toSecond: number): LossGap => ({
  agentId: "a",
  agentName: "media-2",
  fromMs: at(fromSecond),
  toMs: at(toSecond),
  events: 31,
  otherFrames: 0,
  reason: "capacity",
});
const lines = (gaps: LossGap[], opened: string[] = [], hasOlder = false) =>
  entriesOf({ rows, opened: new Set(opened), gaps, hasOlder }).map((entry) => `${entry.kind} ${entry.key}`);

describe("the lines of the list", () => {
  test("are its rows, with the input below an opened row", () => {
    expect(lines([], ["t-40"])).toEqual(["row t-50", "row t-40", "input input t-40", "row t-30"]);
  });

  test("show each gap above the first row received before its end", () => {
    expect(lines([gap(44, 46), gap(55, 60)], ["t-50"]).map((line) => line.split(" ")[0])).toEqual([
      "gap",
      "row",
      "input",
      "gap",
      "row",
      "row",
    ]);
  });

  test("hide a gap below the loaded rows until the list is complete", () => {
    expect(lines([gap(10, 20)], [], true)).toHaveLength(3);
    expect(lines([gap(10, 20)], [], false).at(-1)).toMatch(/^gap /);
  });
});
