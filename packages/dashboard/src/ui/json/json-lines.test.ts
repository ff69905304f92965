import { parseExact } from "@svc/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countRedacted, depthOf, findInJson, jsonLines, maximumLines, redactedText, redactions } from "./json-lines.ts";

const all = () => true;

describe("jsonLines", () => {
  test("lists branches before their contents, in order", () => {
    const lines = jsonLines("args", [{ a: 1, b: ["x"] }], all);
    expect(lines.map((line) => [line.path, line.depth])).toEqual([
      ["args", 0],
      ["args.0", 1],
      ["args.0.a", 2],
      ["args.0.b", 2],
      ["args.0.b.0", 3],
    ]);
  });

  test("stops at a folded branch and counts what it hides", () => {
    const lines = jsonLines("kwargs", { customer: { name: "[REDACTED]", id: 1 } }, (_path, depth) => depth < 1);
    expect(lines.at(-1)).toMatchObject({
      path: "kwargs.customer",
      kind: "open",
      size: 2,
      redacted: { found: 1 },
      isOpen: false,
    });
  });

  test("distinguishes a redacted value from the same text inside a string", () => {
    const [, redacted, text] = jsonLines("args", ["[REDACTED]", "not [REDACTED]"], all);
    expect(redacted?.kind).toBe("redacted");
    expect(text).toMatchObject({ kind: "text", text: "not [REDACTED]" });
  });

  test("keeps numbers exact that a double can't represent", () => {
    const [, line] = jsonLines("args", parseExact("[900719925474099312]"), all);
    expect(line).toMatchObject({ kind: "value", text: "900719925474099312", isExact: true });
  });

  test("reports how much the agent cut off a text", () => {
    const [, line] = jsonLines("args", ["abc[...4096 more bytes truncated]"], all);
    expect(line).toMatchObject({ kind: "text", text: "abc", cutBytes: 4096 });
  });

  test("walks a value nested deeper than the stack, and lists a bounded number of lines", () => {
    let value: unknown = "[REDACTED]";
    for (let depth = 0; depth < 20_000; depth++) value = [value];
    expect(jsonLines("args", value, (_path, depth) => depth < 2_000)).toHaveLength(2_001);
    expect(countRedacted([value])).toEqual({ found: 1, isCut: false });
    expect(jsonLines("args", Array.from({ length: maximumLines + 9 }), all)).toHaveLength(maximumLines);
  });

  test("gives every place a unique path, whatever the keys", () => {
    const value = { a: { b: 1, "0": 1 }, "a.b": 1, 'a["b"]': 1, "": { "": 1 }, "[0]": 1, c: [[1]], "c.0": [1] };
    const paths = jsonLines("kwargs", value, all).map((line) => line.path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toEqual(expect.arrayContaining(["kwargs.a.b", 'kwargs["a.b"]', 'kwargs[""][""]']));
  });

  test("reports that it counted only part of the redactions", () => {
    const few = countRedacted(Array.from({ length: 300 }, () => "[REDACTED]"));
    const many = countRedacted(Array.from({ length: 600_000 }, () => "[REDACTED]"));
    expect([redactedText(few), redactedText(many)]).toEqual(["300", expect.stringMatching(/^at least \d+$/)]);
  });

  test("counts the redactions below every branch", () => {
    const inner = { token: "[REDACTED]", deeper: ["[REDACTED]", 1] };
    const value = { inner, plain: {} };
    const below = redactions(value);
    expect([below(value).found, below(inner).found, below(value.plain).found]).toEqual([2, 2, 0]);
  });
});

describe("findInJson", () => {
  const value = { order: { id: 4711, note: "late ORDER" }, token: "[REDACTED]", other: [true] };

  test("finds keys, texts and numbers ignoring case, and the branches above them", () => {
    const found = findInJson("kwargs", value, "order");
    expect(found.hits).toEqual(["kwargs.order", "kwargs.order.note"]);
    expect([...found.above].sort()).toEqual(["kwargs", "kwargs.order"]);
    expect(findInJson("kwargs", value, "471").hits).toEqual(["kwargs.order.id"]);
    expect(findInJson("kwargs", value, "TRUE").hits).toEqual(["kwargs.other.0"]);
  });

  test("finds nothing in a redacted value, and nothing for no text", () => {
    expect(findInJson("kwargs", value, "redacted").hits).toEqual([]);
    expect(findInJson("kwargs", value, "").hits).toEqual([]);
  });

  test("every match is reachable through its branches", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("a", "1", "e", "tr"), (json, text) => {
        const { hits, above } = findInJson("args", json, text);
        const lines = jsonLines("args", json, (path) => above.has(path)).map((line) => line.path);
        expect(lines).toEqual(expect.arrayContaining(hits));
      }),
    );
  });

  test("stops at a bounded number of matches and reports it", () => {
    const found = findInJson(
      "args",
      Array.from({ length: 5_000 }, () => "x"),
      "x",
    );
    expect(found).toMatchObject({ isCut: true });
    expect(found.hits).toHaveLength(1_000);
  });
});

test("depthOf counts the levels of branches up to a limit", () => {
  expect([depthOf(1, 9), depthOf([], 9), depthOf([{ a: [1] }], 9), depthOf([[[[1]]]], 2)]).toEqual([0, 1, 3, 2]);
});
