import { describe, expect, test } from "vitest";
import { checkReferences, checkWords, isChecked } from "./check-language.ts";

const wordsOf = (text: string) => checkWords("packages/agent/src/a.ts", text).map(({ line, fault }) => [line, fault]);

describe("checkWords", () => {
  test.each([
    "nobody knows whether it ran",
    "const toldAgents = 1;",
    "markGone();",
    "goneSignal",
    "it stands before the list",
    "at most 64 letters",
    "const letters = []",
    "on-told",
    "on_told",
    "THE AGENT TOLD IT",
    '"gone from the list"',
    "tasks gone, then",
    '"nobody answered"',
    "ticked rows",
  ])("refuses %j", (line) => {
    expect(wordsOf(`fine\n${line}`)).toEqual([[2, expect.stringContaining("write ")]]);
  });

  test.each([
    "dead letters of a queue",
    "deadLetters",
    "dead_letters",
    "the letter e",
    "deadLetter",
    "the letter e",
    "lower-case letters and digits",
    "withheld, shoulder, instead",
    "`gone`",
    '"410 gone"',
    "tasks_gone AFTER DELETE",
    'accounts.get("nobody")',
    "loop.ticked",
  ])("accepts %j", (line) => {
    expect(wordsOf(line)).toEqual([]);
  });
});

describe("checkReferences", () => {
  const isFile = (path: string): boolean =>
    ["docs/guides/search.md", "packages/a/src/list.ts", "list.ts"].includes(path);
  const faultsOf = (text: string, path = "packages/a/src/page.ts") =>
    checkReferences(path, text, isFile).map(({ fault }) => fault);

  test.each([
    "/** Sorted (spec part 3, section 10.2). */",
    " * as part 4, B1 has it",
    "// the limits (part 2)",
    "/** As sent (2.3 rule 5). */",
    "// as spec 1.14 has it",
    "const a = 1; // see spec part 1",
  ])("refuses the specification in %j", (text) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining("specification")]);
  });

  test("refuses a file that does not exist and accepts one that does", () => {
    expect(faultsOf("// see docs/guides/search.md and ./list.ts and list.ts")).toEqual([]);
    expect(faultsOf("/** As dashboard.md has it. */")).toEqual([expect.stringContaining("dashboard.md")]);
    expect(faultsOf("// like other/list.ts")).toEqual([expect.stringContaining("other/list.ts")]);
  });

  test("reads comments alone", () => {
    expect(faultsOf('const page = "made-up.md";')).toEqual([]);
    expect(faultsOf('const url = "https://example.com/a.md";')).toEqual([]);
    expect(faultsOf("made-up.md", "docs/a.md")).toEqual([]);
  });
});

test.each([
  ["packages/agent/src/a.ts", true],
  ["docs/guides/agents.md", true],
  ["docs/images/a.png", false],
  ["packages/agent/a.generated.ts", false],
  ["scripts/language/dialect.ts", false],
])("whether %s is checked: %s", (path, expected) => {
  expect(isChecked(path)).toBe(expected);
});
