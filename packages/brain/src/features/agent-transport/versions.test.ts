import { describe, expect, test } from "vitest";
import { compareVersions } from "./versions.ts";

describe("an agent's version compared with the brain's", () => {
  test.each([
    ["1.4.0", "1.4.2", "fine"],
    ["1.3.9", "1.4.0", "fine"],
    ["1.2.0", "1.4.0", "behind"],
    ["1.4.3", "1.4.2", "newer"],
    ["1.5.0", "1.4.2", "newer"],
    ["2.0.0", "1.4.2", "other_major"],
    ["", "1.4.2", "unknown"],
    ["0.0.0", "1.4.2", "unknown"],
    ["abc", "1.4.2", "unknown"],
  ] as const)("%s compared with %s is %s", (agent, brain, verdict) => {
    expect(compareVersions(agent, brain)).toBe(verdict);
  });
});
