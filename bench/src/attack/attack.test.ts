import { expect, test } from "vitest";
import { tableOf } from "../harness/report.ts";
import { atMost, note } from "../harness/suite.ts";
import { all, exitCodeOf, none, violationsOf, within } from "./attack.ts";
import { formulaCells } from "./stored-content.ts";

const held = { suite: "floods", seconds: 1, rows: [none("lost rows", 0, "rows")] };
const violated = {
  suite: "floods",
  seconds: 1,
  rows: [
    none("lost rows", 3, "rows"),
    all("closed sockets", 9, "sockets", 10),
    within("log lines", 101, "lines", 100),
    atMost("list p95", 31, "ms", { limit: 10, target: 3 }),
    note("memory", 1e9, "bytes"),
  ],
};

test("the exit code is 0 only when all requirements are met", () => {
  expect(exitCodeOf([held], false)).toBe(0);
  expect(exitCodeOf([held, violated], false)).toBe(1);
  expect(exitCodeOf([{ ...held, fault: "the service ended" }], false)).toBe(1);
  expect(exitCodeOf([{ ...held, rows: [] }], false)).toBe(1);
  expect(exitCodeOf([], false)).toBe(1);
  expect(exitCodeOf([held], true)).toBe(130);
});

test("all violated rows are named, and no informational ones", () => {
  expect(violationsOf([held, violated])).toEqual([
    "floods: lost rows (3 rows)",
    "floods: closed sockets (9 sockets)",
    "floods: log lines (101 lines)",
    "floods: list p95 (31 ms)",
  ]);
});

test("the table shows the verdict of each judged row", () => {
  const table = tableOf([{ ...violated, rows: [...held.rows, ...violated.rows] }]);
  expect(table.split("\n").map((line) => /(ok|MISSED)$/.exec(line)?.[1])).toEqual([
    ...[undefined, undefined, "ok"],
    ...["MISSED", "MISSED", "MISSED", "MISSED"],
    ...[undefined, undefined],
  ]);
});

test("a cell is a formula by its first character after spaces, unless it is a number", () => {
  const harmless = ["", "a=1", "'=1", "'  =1", "-1", "-1.5e3", "12"];
  const formulas = [
    "=1",
    "  =1",
    "-1+1",
    "@A1",
    "|x",
    "%x",
    "\t=1",
    "\n1",
    "\r=1",
    "＝1",
    "＋1",
    "－1",
    "＠1",
    "｜1",
    "％1",
  ];
  expect(formulaCells([...harmless, ...formulas])).toEqual(formulas);
});
