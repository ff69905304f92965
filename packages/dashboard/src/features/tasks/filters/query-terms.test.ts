import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isQueryText, searchFields, termsOf, withoutTerm, withTerm } from "./query-terms.ts";

describe("the terms of a search", () => {
  test("are its words and fields as written, with quoted text intact", () => {
    expect(termsOf('error:"timed out" -queue:mail  runtime:>30s').map((term) => term.text)).toEqual([
      'error:"timed out"',
      "-queue:mail",
      "runtime:>30s",
    ]);
  });

  test("each have their own error", () => {
    const [good, bad] = termsOf("queue:mail runtime:soon");
    expect(good?.error).toBeNull();
    expect(bad?.error).toMatch(/./);
  });

  test("keep at least one term of any search", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const terms = termsOf(text);
        expect(terms.map((term) => term.text).join(" ").length).toBeLessThanOrEqual(text.length);
        if (isQueryText(text) && terms.length === 0) throw new Error("a search without a term");
      }),
    );
  });
});

describe("a term", () => {
  test("is added once, and removed by index", () => {
    expect(withTerm(undefined, "engine:bullmq")).toBe("engine:bullmq");
    expect(withTerm("a:b engine:bullmq", "engine:bullmq")).toBe("a:b engine:bullmq");
    expect(withTerm("tag:x", "engine:bullmq")).toBe("tag:x engine:bullmq");
    expect(withoutTerm("tag:x engine:bullmq tag:y", 1)).toBe("tag:x tag:y");
    expect(withoutTerm("tag:x", 0)).toBeUndefined();
  });
});

test.each([
  ["args.user.id:123", true],
  ["-queue:mail", true],
  ["runtime:>30s", true],
  ["queue:mail error:boom", true],
  ["upstream 503", false],
  ["https://example.com", false],
  ["12:30", false],
])("%j is a text of the search: %s", (text, isSearch) => {
  expect(isQueryText(text)).toBe(isSearch);
});

test("fields that are also list parameters are not offered twice", () => {
  const names = searchFields().map((field) => field.name);
  expect(names).toContain("args");
  expect(names).not.toContain("queue");
});
