import { parseTaskQuery, quoted } from "@svc/client/task-query";
import { growthOfReader } from "@svc/testkit/expressions";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathTerm, sameFailureQuery } from "./search-terms.ts";

const faultsOf = (query: string) => parseTaskQuery(query).faults;

describe("the query for failures that say the same", () => {
  test("names type and words, and leaves out what differs from task to task", () => {
    const exception = "billing.PaymentError: upstream 503 after 30.0 s (gateway eu-1, order 88213)\nmore";
    expect(sameFailureQuery({ name: "billing.charge", exception })).toBe(
      'name:"billing.charge" error:"PaymentError" error:"upstream" error:"gateway"',
    );
    expect(sameFailureQuery({ name: "a", exception: 'connection "db" refused' })).toBe(
      'name:"a" error:"connection \\"db\\" refused"',
    );
  });

  test("is none when nothing was said, or nothing that lasts", () => {
    expect(sameFailureQuery({ name: "a", exception: null })).toBeNull();
    expect(sameFailureQuery({ name: "a", exception: "4711" })).toBeNull();
    expect(sameFailureQuery({ name: "n".repeat(999), exception: "Error: boom" })).toBeNull();
  });

  test("leaves out a unit behind a number, and signs around the words", () => {
    const exception = "upstream gave up after 30   ms, -- then refused 7 min of (all) the work 8 minutes";
    expect(sameFailureQuery({ name: "a", exception })).toBe(
      'name:"a" error:"upstream gave up after" error:"of (all) the work"',
    );
  });

  test("costs what its length costs, whatever the message holds", () => {
    const read = (exception: string) => sameFailureQuery({ name: "a", exception });
    expect(growthOfReader(read, ["a1 ", "1 s", "1 ", "--a"])).toMatchObject({ worst: null });
  });

  test("is understood whatever name and message hold", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.string({ maxLength: 200 }), (name, message) => {
        const query = sameFailureQuery({ name, exception: `BoomError: ${message}` });
        expect(query === null ? [] : faultsOf(query)).toEqual([]);
      }),
    );
  });
});

test("a value that the differences name becomes a term that is understood", () => {
  expect(pathTerm("kwargs.gateway", "eu-1")).toBe('kwargs.gateway:"eu-1"');
  expect(pathTerm("args.0.id", "4711")).toBe("args.0.id:4711");
  expect(pathTerm("args.0.id", '"4711"')).toBe('args.0.id:"4711"');
  for (const value of ["eu-1", "4711", '"4711"', "true", "-1.5", "a, b *", 'say "hi" \\']) {
    expect([value, faultsOf(pathTerm("kwargs.user.region", value))]).toEqual([value, []]);
  }
  expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
});
