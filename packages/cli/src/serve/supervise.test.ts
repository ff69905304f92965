import { describe, expect, test } from "vitest";
import { createRestarts } from "./supervise.ts";

describe("the restarts of one worker", () => {
  test("have doubling delays and stop after five in a minute", () => {
    const restarts = createRestarts(() => 0);
    expect(Array.from({ length: 6 }, () => restarts.next())).toEqual([500, 1000, 2000, 4000, 8000, null]);
  });

  test("start again after a minute", () => {
    let now = 0;
    const restarts = createRestarts(() => now);
    for (let index = 0; index < 5; index += 1) restarts.next();
    now = 59_999;
    expect(restarts.next()).toBeNull();
    now = 60_000;
    expect(restarts.next()).toBe(500);
  });
});
