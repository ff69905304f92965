import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Expression, expressionsOf, growthOfExpression, productionFiles } from "@svc/testkit/expressions";
import { describe, expect, test } from "vitest";

// Every regular expression that runs in production takes time in proportion to its text, whatever the text holds.

const root = fileURLToPath(new URL("..", import.meta.url));

/** Constructor calls whose text the file does not spell out, and why each of them needs no worst case here. */
const composedElsewhere: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol/src/redaction/extra-patterns.ts": ["the operator's own patterns, timed at the start"],
  "packages/protocol/src/redaction/value-rule.ts": [
    "the alternation of the families, tried below",
    "each family or operator's pattern once more, with the flag g",
  ],
  "packages/brain/src/schema/document/row-types.ts": [
    "a row type with its comment, looked for in the sources alone",
    "a member of a row type, likewise",
  ],
  "packages/dashboard/src/parts-boot.js": ["the paths of pages, put in by the build, against the page's own address"],
};

const files = productionFiles(root).map((file) => {
  const found = expressionsOf(readFileSync(`${root}/${file}`, "utf8"), file.endsWith("x"));
  return { file, ...found };
});

const printed = ({ source, flags }: Expression) => `/${source}/${flags}`;

test("every file is read, and what is composed is listed", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(({ expressions }) => expressions).length).toBeGreaterThan(250);
  expect(files.flatMap(({ file, unresolved }) => (unresolved > 0 ? [[file, unresolved]] : []))).toEqual(
    Object.keys(composedElsewhere)
      .sort()
      .map((file) => [file, composedElsewhere[file]?.length]),
  );
});

describe("the cost grows with the length of the text, not with its square", () => {
  test.each(files.filter(({ expressions }) => expressions.length > 0))(
    "$file",
    ({ expressions }) => {
      const slow = expressions.flatMap((expression) => {
        const { growth, worst } = growthOfExpression(expression);
        return worst === null ? [] : [{ expression: printed(expression), growth, worst }];
      });
      expect(slow).toEqual([]);
    },
    120_000,
  );

  test("of all redacted families in one alternation", () => {
    const file = files.find(({ file }) => file.endsWith("/redaction/value-rule.ts"));
    const sources = file?.expressions.map(({ source }) => source) ?? [];
    expect(sources.length).toBeGreaterThan(10);
    expect(growthOfExpression({ source: sources.join("|"), flags: "i" })).toMatchObject({ worst: null });
  }, 120_000);
});

describe("a worst case is found", () => {
  test.each([
    ["a trimmed end", /\s+$/],
    ["an end of one letter", /0+$/],
    ["two neighbours that share a letter", /^a=\s*(.*)$/],
    ["three of them", /^\s*(?:\[cause\]:|Caused by:)\s*(.*?)\s*\{?$/],
    ["a beginning that is looked for everywhere", /\S*\d\S*/],
    ["a quoted part that may hold the quotation mark", /^\s*File "(.+?)", line (\d+)(?:, in (.+))?$/],
    ["a look behind without end", /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s"]+(?=@)/gi],
    ["an alternative that a match at the beginning hides", /^0+|0+$/g],
  ])("of %s", (_name, { source, flags }) => {
    expect(growthOfExpression({ source, flags }).worst).not.toBeNull();
  });

  test.each([
    ["a run that begins behind something else", /(?<!0)0+$/],
    ["a bounded repetition", /a{0,200}b/],
    ["all that is left", /^a=([\s\S]*)$/],
  ])("not of %s", (_name, { source, flags }) => {
    expect(growthOfExpression({ source, flags })).toMatchObject({ worst: null });
  });
});

test("an expression is found wherever it is written", () => {
  const code = [
    "const part = '[a-z]+';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test
    "const form = new RegExp(`^${part}$`, 'u');",
    "const schema = { pattern: '^\\\\d+$' };",
    "text.replace(/x/g, '').split(RegExp('a' + part)); new RegExp(outside);",
  ].join("\n");
  const { expressions, unresolved } = expressionsOf(code, false);
  expect(expressions.map(printed).sort()).toEqual(["/^[a-z]+$/u", "/^\\d+$/u", "/a[a-z]+/", "/x/g"]);
  expect(unresolved).toBe(1);
});
