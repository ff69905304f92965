import fc from "fast-check";
import { expect, test } from "vitest";
import { meantQuery } from "./meant.ts";
import { parseTaskQuery } from "./parse.ts";

test.each([
  ["customer=42", "args.customer:42"],
  ["customer:42", "args.customer:42"],
  ["user.id=42", "args.user.id:42"],
  ["-customer:42", "-args.customer:42"],
  ["state:failure  customer=42 mail", "state:failure args.customer:42 mail"],
  ['city="New York"', 'args.city:"New York"'],
  ["note=a,b", 'args.note:"a,b"'],
  ["total:>5", "args.total:>5"],
  // A key that is a field, or another name for one, means that field.
  ["queue=mail", "queue:mail"],
  ["status:failure", "state:failure"],
  ["Status=failure", "state:failure"],
])("%s probably means %s", (q, meant) => {
  expect(meantQuery(q)).toBe(meant);
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
])("%s means what it says", (q) => {
  expect(meantQuery(q)).toBeNull();
});

test("a key leads to where payloads have it", () => {
  expect(meantQuery("ref=1 total=2", (key) => (key === "ref" ? "args.order.ref" : `result.${key}`))).toBe(
    "args.order.ref:1 result.total:2",
  );
});

test("what is meant is always a query without faults, and means itself", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", ":", "=", ".", "-", '"', ",", "*", " ", "\\", "[", "0"),
    maxLength: 20,
  });
  fc.assert(
    fc.property(text, (q) => {
      const meant = meantQuery(q);
      if (meant === null) return;
      expect(parseTaskQuery(meant).faults).toEqual([]);
      expect(meantQuery(meant)).toBeNull();
    }),
    { numRuns: Number(process.env.SVC_TEST_RUNS ?? 2000) },
  );
});
