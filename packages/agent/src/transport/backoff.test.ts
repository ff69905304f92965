import { describe, expect, test } from "vitest";
import { familyOfStatus, reconnectDelayMs } from "./backoff.ts";

const middle = 0.5;

describe("reconnect pace", () => {
  test.each([
    ["transient", [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    ["protocol", [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]],
    ["auth", [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]],
  ] as const)("%s doubles up to its limit", (family, expected) => {
    expect(expected.map((_, index) => reconnectDelayMs(family, index + 1, middle))).toEqual([...expected]);
  });

  test("jitter moves a pause by at most 30 percent in either direction", () => {
    expect(reconnectDelayMs("auth", 1, 0)).toBe(7_000);
    expect(reconnectDelayMs("auth", 1, 0.999_999)).toBe(13_000);
  });

  test("stays at the limit after thousands of failures", () => {
    expect(reconnectDelayMs("transient", 100_000, middle)).toBe(30_000);
  });
});

test.each([
  [302, "transient"],
  [401, "auth"],
  [403, "auth"],
  [409, "transient"],
  [426, "protocol"],
  [429, "transient"],
  [503, "transient"],
] as const)("status %i is %s", (status, family) => {
  expect(familyOfStatus(status)).toBe(family);
});
