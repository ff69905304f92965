import { expect, test } from "vitest";
import { expressionRows, type KnownCase, knownCaseRows } from "./patterns.ts";

const known: KnownCase = {
  name: "task query: hyphens",
  module: "packages/client/src/task-query/parse.ts",
  call: "parseTaskQuery",
  make: "(n) => '-'.repeat(n)",
  greatest: 1024,
};
const log = () => {};

test("a known input is passed to the function that reads it", async () => {
  expect(await knownCaseRows([known], { log })).toMatchObject([
    { name: expect.stringContaining("growth"), pass: true },
  ]);
});

test.each([
  ["the module", { ...known, module: "packages/client/src/task-query/missing.ts" }],
  ["the function in it", { ...known, call: "renamed" }],
])("a known input is a violation when %s no longer exists", async (_, moved) => {
  expect(await knownCaseRows([moved], { log })).toMatchObject([
    { name: `task query: hyphens: ${moved.call} of ${moved.module}`, figure: 0, pass: false },
  ]);
});

test.each(["quick", "standard"] as const)(
  "a missing test of all expressions is a violation in a %s run",
  async (mode) => {
    const { signal } = new AbortController();
    expect(await expressionRows("scripts/missing.test.ts", { mode, log, signal })).toMatchObject([
      { name: "every expression: scripts/missing.test.ts", figure: 0, pass: false },
    ]);
    expect(await expressionRows("scripts/expressions.test.ts", { mode: "quick", log, signal })).toMatchObject([
      { pass: true },
    ]);
  },
);
