import { describe, expect, test } from "vitest";
import { compareVersions, statusOf } from "./versions.ts";

// Semantic Versioning 2.0.0, section 11: precedence, ascending.
const ordered = [
  "0.9.9",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.2.0",
  "1.10.0",
];

describe("versions", () => {
  test("follow the order of the standard, whatever the build metadata", () => {
    for (const [at, one] of ordered.entries()) {
      for (const [otherAt, other] of ordered.entries()) {
        expect([one, other, compareVersions(one, other)]).toEqual([one, other, Math.sign(at - otherAt)]);
      }
    }
    expect(compareVersions("1.0.0+build.1", "1.0.0+build.2")).toBe(0);
  });

  test.each([
    ["1.0.0", "1.0.0", "current"],
    ["1.0.0", "1.1.0", "behind"],
    ["1.1.0", "1.0.0", "ahead"],
    [undefined, "1.0.0", "elsewhere"],
    ["1.0.0", undefined, "unknown"],
  ])("%s against %s is %s", (installed, known, status) => {
    expect(statusOf(installed, known)).toBe(status);
  });
});
