import { describe, expect, test } from "vitest";
import { createTailPace } from "./tail-pace.ts";

describe("the pace of new tasks", () => {
  test("is too fast above fifty a second, and not when as many come over a longer time", () => {
    let nowMs = 0;
    const pace = createTailPace(() => nowMs);
    expect(pace.note(200)).toBe(false);
    expect(pace.note(1)).toBe(true);

    nowMs = 4_000;
    expect(pace.note(199)).toBe(false);
    nowMs = 7_900;
    expect(pace.note(1)).toBe(false);
    expect(pace.note(1)).toBe(true);
    nowMs = 8_000;
    expect(pace.note(198)).toBe(false);
  });

  test("begins again when following does", () => {
    const pace = createTailPace(() => 0);
    pace.note(200);
    pace.reset();
    expect(pace.note(200)).toBe(false);
  });
});
