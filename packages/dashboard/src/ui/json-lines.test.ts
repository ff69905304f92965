import { parseExact } from "@svc/client";
import { describe, expect, test } from "vitest";
import { countRedacted, jsonLines, maximumLines, redactedText } from "./json-lines.ts";

const all = () => true;

describe("jsonLines", () => {
  test("lists branches before what is in them, in order", () => {
    const lines = jsonLines("args", [{ a: 1, b: ["x"] }], all);
    expect(lines.map((line) => [line.path, line.depth])).toEqual([
      ["args", 0],
      ["args.0", 1],
      ["args.0.a", 2],
      ["args.0.b", 2],
      ["args.0.b.0", 3],
    ]);
  });

  test("stops at a folded branch and says what it hides", () => {
    const lines = jsonLines("kwargs", { customer: { name: "[REDACTED]", id: 1 } }, (_path, depth) => depth < 1);
    expect(lines.at(-1)).toMatchObject({
      path: "kwargs.customer",
      kind: "open",
      size: 2,
      redacted: { found: 1 },
      isOpen: false,
    });
  });

  test("tells a redacted value from the same letters inside a text", () => {
    const [, redacted, text] = jsonLines("args", ["[REDACTED]", "not [REDACTED]"], all);
    expect(redacted?.kind).toBe("redacted");
    expect(text).toMatchObject({ kind: "text", text: "not [REDACTED]" });
  });

  test("keeps a number exact that no double holds", () => {
    const [, line] = jsonLines("args", parseExact("[900719925474099312]"), all);
    expect(line).toMatchObject({ kind: "value", text: "900719925474099312", isExact: true });
  });

  test("says how much the agent cut off a text", () => {
    const [, line] = jsonLines("args", ["abc[...4096 more bytes truncated]"], all);
    expect(line).toMatchObject({ kind: "text", text: "abc", cutBytes: 4096 });
  });

  test("walks a value nested deeper than the stack, and draws a bounded number of lines", () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 50_000; depth++) value = [value];
    expect(jsonLines("args", value, all)).toHaveLength(maximumLines);
    expect(countRedacted(value)).toEqual({ found: 0, isCut: true });
  });

  test("gives no two places one path, whatever their keys hold", () => {
    const value = { a: { b: 1, "0": 1 }, "a.b": 1, 'a["b"]': 1, "": { "": 1 }, "[0]": 1, c: [[1]], "c.0": [1] };
    const paths = jsonLines("kwargs", value, all).map((line) => line.path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toEqual(expect.arrayContaining(["kwargs.a.b", 'kwargs["a.b"]', 'kwargs[""][""]']));
  });

  test("says that it counted only part of what was redacted", () => {
    const few = countRedacted(Array.from({ length: 300 }, () => "[REDACTED]"));
    const many = countRedacted(Array.from({ length: 9_000 }, () => ["[REDACTED]"]));
    expect([redactedText(few), redactedText(many)]).toEqual(["300", expect.stringMatching(/^at least \d+$/)]);
  });
});
