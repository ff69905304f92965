import { describe, expect, test } from "vitest";
import { versionStatus } from "./version-status.ts";

describe("the version status of an agent", () => {
  test.each([
    ["1.4.2", "current"],
    ["1.4.0", "current"],
    ["1.3.9", "current"],
    ["1.2.9", "outdated"],
    ["1.4.3", "newer_than_known"],
    ["1.5.0", "newer_than_known"],
    ["2.4.2", "incompatible"],
    ["0.9.0", "incompatible"],
    ["0.0.0", "unknown"],
    ["", "unknown"],
    ["nightly", "unknown"],
    ["1.4.2.1", "unknown"],
    ["1.4.2-beta.1", "current"],
  ])("is for %j compared with a brain of 1.4.2: %s", (agentVersion, expected) => {
    expect(versionStatus(agentVersion, "1.4.2")).toBe(expected);
  });

  test("is null before the agent reported its version", () => {
    expect(versionStatus(null, "1.4.2")).toBeNull();
  });
});
