import { parseTaskQuery, quoted } from "@svc/client/task-query";
import { growthOfReader } from "@svc/testkit/expressions";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathTerm, sameFailureQuery } from "./search-terms.ts";

const faultsOf = (query: string) => parseTaskQuery(query).faults;

describe("the query for similar failures", () => {
  test("has the type and the message without the parts that vary between tasks", () => {
    const exception = "billing.PaymentError: upstream 503 after 30.0 s (gateway eu-1, order 88213)\nmore";
    expect(sameFailureQuery({ name: "billing.charge", exception })).toBe(
      'name:"billing.charge" error:"PaymentError" error:"upstream" error:"gateway"',
    );
    expect(sameFailureQuery({ name: "a", exception: 'connection "db" refused' })).toBe(
      'name:"a" error:"connection \\"db\\" refused"',
    );
  });

  test("is null without an error text, or if all of it varies", () => {
    expect(sameFailureQuery({ name: "a", exception: null })).toBeNull();
    expect(sameFailureQuery({ name: "a", exception: "4711" })).toBeNull();
    expect(sameFailureQuery({ name: "n".repeat(999), exception: "Error: boom" })).toBeNull();
  });

  test("leaves out units after numbers, and punctuation around words", () => {
    const exception = "upstream gave up after 30   ms, -- then refused 7 min of (all) the work 8 minutes";
    expect(sameFailureQuery({ name: "a", exception })).toBe(
      'name:"a" error:"upstream gave up after" error:"of (all) the work"',
    );
  });

  test("takes linear time for any message", () => {
    const read = (exception: string) => sameFailureQuery({ name: "a", exception });
    expect(growthOfReader(read, ["a1 ", "1 s", "1 ", "--a"])).toMatchObject({ worst: null });
  });

  test("is valid for any name and message", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.string({ maxLength: 200 }), (name, message) => {
        const query = sameFailureQuery({ name, exception: `BoomError: ${message}` });
        expect(query === null ? [] : faultsOf(query)).toEqual([]);
      }),
    );
  });
});

test("a value from a comparison becomes a valid search term", () => {
  expect(pathTerm("kwargs.gateway", "eu-1")).toBe('kwargs.gateway:"eu-1"');
  expect(pathTerm("args.0.id", "4711")).toBe("args.0.id:4711");
  expect(pathTerm("args.0.id", '"4711"')).toBe('args.0.id:"4711"');
  for (const value of ["eu-1", "4711", '"4711"', "true", "-1.5", "a, b *", 'say "hi" \\']) {
    expect([value, faultsOf(pathTerm("kwargs.user.region", value))]).toEqual([value, []]);
  }
  expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
});
