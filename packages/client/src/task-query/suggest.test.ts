import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTaskQuery } from "./parse.ts";
import { suggestQuery } from "./suggest.ts";

test.each([
  ["customer=42", "args.customer:42"],
  ["customer:42", "args.customer:42"],
  ["user.id=42", "args.user.id:42"],
  ["-customer:42", "-args.customer:42"],
  ["state:failure  customer=42 mail", "state:failure args.customer:42 mail"],
  ['city="New York"', 'args.city:"New York"'],
  ["note=a,b", 'args.note:"a,b"'],
  ["total:>5", "args.total:>5"],
  // A key that is a field or an alias becomes that field.
  ["queue=mail", "queue:mail"],
  ["status:failure", "state:failure"],
  ["Status=failure", "state:failure"],
])("%s suggests %s", (q, suggestion) => {
  expect(suggestQuery(q)).toBe(suggestion);
});

test.each([
  "",
  "mail",
  "queue:mail",
  "12:30",
  "App::Mail",
  "https://host/?a=b",
  '"customer=42"',
  "a==b",
  "customer=",
  "a= b",
])("%s has no suggestion", (q) => {
  expect(suggestQuery(q)).toBeNull();
});

test("a key becomes the payload path that contains it", () => {
  expect(suggestQuery("ref=1 total=2", (key) => (key === "ref" ? "args.order.ref" : `result.${key}`))).toBe(
    "args.order.ref:1 result.total:2",
  );
});

test("a suggestion has no faults and no further suggestion", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", ":", "=", ".", "-", '"', ",", "*", " ", "\\", "[", "0"),
    maxLength: 20,
  });
  fc.assert(
    fc.property(text, (q) => {
      const suggestion = suggestQuery(q);
      if (suggestion === null) return;
      expect(parseTaskQuery(suggestion).faults).toEqual([]);
      expect(suggestQuery(suggestion)).toBeNull();
    }),
    { numRuns: Number(process.env.SVC_TEST_RUNS ?? 2000) },
  );
});
