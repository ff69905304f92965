import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createOncePerWindow } from "./refusals.ts";

describe("the record of refusals", () => {
  test("admits a key once per ten minutes, and again after it was forgotten", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    expect([once.admit("a"), once.admit("a"), once.admit("b")]).toEqual([true, false, true]);
    once.forget("a");
    expect(once.admit("a")).toBe(true);
    clock.advance(600_000);
    expect([once.admit("a"), once.admit("b")]).toEqual([true, true]);
  });

  test("remembers 10,000 keys and records no others until the oldest is past its time", () => {
    const clock = createFakeClock();
    const once = createOncePerWindow(clock);
    for (let index = 0; index < 10_000; index += 1) expect(once.admit(`key-${index}`)).toBe(true);
    expect(once.admit("late")).toBe(false);
    clock.advance(600_000);
    expect(once.admit("late")).toBe(true);
  });
});
