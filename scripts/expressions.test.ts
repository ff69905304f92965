import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Expression, expressionsOf, growthOfExpression, productionFiles } from "@svc/testkit/expressions";
import { describe, expect, test } from "vitest";

// All regular expressions in production must take linear time for any text.

const root = fileURLToPath(new URL("..", import.meta.url));

/** Constructor calls with computed text, and why they need no worst case here. */
const composedElsewhere: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol/src/redaction/extra-patterns.ts": ["the operator's own patterns, timed at the start"],
  "packages/protocol/src/redaction/value-rule.ts": [
    "the alternation of the families, tried below",
    "each family or operator's pattern again, with the flag g",
  ],
  "packages/brain/src/schema/document/row-types.ts": [
    "a row type with its comment, searched only in our sources",
    "a member of a row type, also only in our sources",
  ],
  "packages/dashboard/src/parts-boot.js": ["the paths of pages, from the build, against the page's own address"],
};

const files = productionFiles(root).map((file) => {
  const found = expressionsOf(readFileSync(`${root}/${file}`, "utf8"), file.endsWith("x"));
  return { file, ...found };
});

const printed = ({ source, flags }: Expression) => `/${source}/${flags}`;

test("all files are read, and computed expressions are listed", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(({ expressions }) => expressions).length).toBeGreaterThan(250);
  expect(files.flatMap(({ file, unresolved }) => (unresolved > 0 ? [[file, unresolved]] : []))).toEqual(
    Object.keys(composedElsewhere)
      .sort()
      .map((file) => [file, composedElsewhere[file]?.length]),
  );
});

describe("the cost is linear in the length of the text, not quadratic", () => {
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
    ["an end of one character", /0+$/],
    ["two neighbours that share a character", /^a=\s*(.*)$/],
    ["three such neighbours", /^\s*(?:\[cause\]:|Caused by:)\s*(.*?)\s*\{?$/],
    ["a beginning that is tried everywhere", /\S*\d\S*/],
    ["a quoted part that may contain the quotation mark", /^\s*File "(.+?)", line (\d+)(?:, in (.+))?$/],
    ["an unbounded look-behind", /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s"]+(?=@)/gi],
    ["an alternative that a match at the beginning hides", /^0+|0+$/g],
  ])("of %s", (_name, { source, flags }) => {
    expect(growthOfExpression({ source, flags }).worst).not.toBeNull();
  });

  test.each([
    ["a run after another character", /(?<!0)0+$/],
    ["a bounded repetition", /a{0,200}b/],
    ["the rest of the text", /^a=([\s\S]*)$/],
  ])("not of %s", (_name, { source, flags }) => {
    expect(growthOfExpression({ source, flags })).toMatchObject({ worst: null });
  });
});

test("an expression is found in all its forms", () => {
  const code = [
    "const part = '[a-z]+';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code under test
    "const form = new RegExp(`^${part}$`, 'u');",
    "const schema = { pattern: '^\\\\d+$' };",
    "text.replace(/x/g, '').split(RegExp('a' + part)); new RegExp(outside);",
  ].join("\n");
  const { expressions, unresolved } = expressionsOf(code, false);
  expect(expressions.map(printed).sort()).toEqual(["/^[a-z]+$/u", "/^\\d+$/u", "/a[a-z]+/", "/x/g"]);
  expect(unresolved).toBe(1);
});
