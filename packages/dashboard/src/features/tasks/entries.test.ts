import { describe, expect, test } from "vitest";
import { taskRow } from "../../../test/task-rows.ts";
import { type Band, entriesOf } from "./entries.ts";

const at = (second: number) => Date.UTC(2026, 10, 20, 10, 0, second);
const rows = [50, 40, 30].map((second) =>
  taskRow({ id: `t-${second}`, received_at: new Date(at(second)).toISOString() }),
);
const band = (fromSecond: number, toSecond: number): Band => ({
  key: `${fromSecond}-${toSecond}`,
  fromMs: at(fromSecond),
  toMs: at(toSecond),
});
const lines = (bands: Band[], opened: string[] = [], isEnded = false) =>
  entriesOf({ rows, opened: new Set(opened), bands, isEnded }).map((entry) => entry.key);

describe("the lines of the list", () => {
  test("are its rows, and below an opened row its input", () => {
    expect(lines([], ["t-40"])).toEqual(["t-50", "t-40", "input t-40", "t-30"]);
  });

  test("have each band above the first row that was received before its end", () => {
    expect(lines([band(32, 38), band(44, 46), band(55, 60)])).toEqual([
      "band 55-60",
      "t-50",
      "band 44-46",
      "t-40",
      "band 32-38",
      "t-30",
    ]);
  });

  test("keep a band back that lies below what is loaded, until the list has ended", () => {
    expect(lines([band(10, 20)])).toEqual(["t-50", "t-40", "t-30"]);
    expect(lines([band(10, 20)], [], true)).toEqual(["t-50", "t-40", "t-30", "band 10-20"]);
  });
});
