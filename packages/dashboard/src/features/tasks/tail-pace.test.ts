import { describe, expect, test } from "vitest";
import { createTailPace } from "./tail-pace.ts";

describe("the pace of new tasks", () => {
  test("is too fast above fifty a second, and not when as many come over a longer time", () => {
    let nowMs = 0;
    const pace = createTailPace(() => nowMs);
    expect(pace.note(100)).toBe(false);
    expect(pace.note(1)).toBe(true);

    nowMs = 2_000;
    expect(pace.note(99)).toBe(false);
    nowMs = 2_900;
    expect(pace.note(1)).toBe(false);
    nowMs = 3_900;
    expect(pace.note(1)).toBe(true);
    nowMs = 4_000;
    expect(pace.note(98)).toBe(false);
  });

  test("begins again when following does", () => {
    const pace = createTailPace(() => 0);
    pace.note(100);
    pace.reset();
    expect(pace.note(100)).toBe(false);
  });
});
