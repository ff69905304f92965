import { describe, expect, test } from "vitest";
import { windowBefore } from "./window-before.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const now = Date.UTC(2026, 10, 20, 12, 7);
const lengthOf = ({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }) => untilMs - sinceMs;

describe("the window before", () => {
  test("of an ended one has the same length", () => {
    const window = { sinceMs: now - 3 * hourMs, untilMs: now - hourMs, isOpen: false };
    expect(windowBefore(window, now)).toEqual({
      sinceMs: now - 5 * hourMs,
      untilMs: now - 3 * hourMs,
      isOpen: false,
    });
  });

  test("of an open one is as long as it has lasted, not as its bounds", () => {
    const window = { sinceMs: now - hourMs, untilMs: now + minuteMs, isOpen: true };
    expect(lengthOf(windowBefore(window, now))).toBe(hourMs);
    expect(lengthOf(windowBefore(window, now + 5 * minuteMs))).toBe(hourMs + minuteMs);
  });

  test("does not reach a few minutes into the time with hourly counts only", () => {
    const stepMs = 15 * minuteMs;
    const present = Math.floor(now / stepMs) * stepMs;
    const day = { sinceMs: present - 24 * hourMs, untilMs: present + stepMs, isOpen: true };
    // Seven minutes past the hour: the same length would begin 14 minutes before the full hour two days ago.
    expect(new Date(windowBefore(day, now).sinceMs).toISOString()).toBe("2026-11-18T12:00:00.000Z");
    const week = { sinceMs: present - 168 * hourMs, untilMs: present + stepMs, isOpen: true };
    expect(lengthOf(windowBefore(week, now))).toBe(now - week.sinceMs);
  });
});
