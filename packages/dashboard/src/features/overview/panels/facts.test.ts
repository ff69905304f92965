import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  durationParts,
  endsOf,
  failureShare,
  pointChange,
  rateDigits,
  relativeChange,
  signedPercent,
} from "./facts.ts";

test("finished tasks include revoked and rejected ones", () => {
  const ends = endsOf([
    { success: 4000, failure: 489, revoked: 200, rejected: 30 },
    { success: 0, failure: 0, revoked: 0, rejected: 0 },
  ]);
  expect(ends).toEqual({ finished: 4719, succeeded: 4000, failed: 489 });
});

describe("the failure rate", () => {
  test("is of succeeded and failed tasks, and null without any", () => {
    const ends = endsOf([
      { success: 90, failure: 5, revoked: 0, rejected: 0 },
      { success: 0, failure: 5, revoked: 0, rejected: 0 },
    ]);
    expect(failureShare(ends)).toBe(0.1);
    expect(failureShare(endsOf([]))).toBeNull();
  });

  test("is never 0 when something failed, nor 100 when something did not", () => {
    expect([0, 0.00001, 0.0038, 0.031, 0.4, 0.9999, 1].map(rateDigits)).toEqual([
      "0",
      "<0.1",
      "0.38",
      "3.1",
      "40",
      ">99.9",
      "100",
    ]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true }), (share) => {
        expect(["0", "0.0", "0.00", "100", "100.0"]).not.toContain(rateDigits(share));
      }),
    );
  });
});

test("a duration is split into digits and units", () => {
  expect(durationParts(4800)).toEqual([["4.8", "s"]]);
  expect(durationParts(492_000)).toEqual([
    ["8", "min"],
    ["12", "s"],
  ]);
});

describe("a change", () => {
  test("from nothing is null", () => {
    expect(relativeChange(5, 0, "plain")).toBeNull();
    expect(relativeChange(5, null, "worse")).toBeNull();
    expect(pointChange(0.2, null)).toBeNull();
  });

  test("is worse only where an increase is bad and large enough", () => {
    expect(relativeChange(112, 100, "worse")).toEqual({ text: "+12 %", isWorse: true });
    expect(relativeChange(105, 100, "worse")).toEqual({ text: "+5.0 %", isWorse: false });
    expect(relativeChange(200, 100, "plain")).toEqual({ text: "+100 %", isWorse: false });
    expect(relativeChange(50, 100, "worse")).toEqual({ text: "−50 %", isWorse: false });
  });

  test("of a rate is in percentage points", () => {
    expect(pointChange(0.0038, 0.0017)).toEqual({ text: "+0.21 points", isWorse: true });
    expect(pointChange(0.02, 0.05)).toEqual({ text: "−3.0 points", isWorse: false });
    expect(pointChange(0.05, 0.050001)).toEqual({ text: "same as before", isWorse: false });
  });

  test("above 900 % is a factor", () => {
    expect([0, 0.0004, 4.1, 9.2].map(signedPercent)).toEqual(["0 %", "0 %", "+410 %", "10×"]);
  });
});
