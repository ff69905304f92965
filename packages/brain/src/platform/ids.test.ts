import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { uuidV7 } from "./ids.ts";

test("an id is a UUID of version 7 that begins with its milliseconds", () => {
  const id = uuidV7({ now: () => new Date("2026-01-02T03:04:05.678Z") });
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(Date.parse("2026-01-02T03:04:05.678Z"));
});

test("ids differ, also beyond one batch of random bytes, and sort by time", () => {
  const ids = Array.from({ length: 2000 }, () => uuidV7(systemClock));
  expect(new Set(ids).size).toBe(2000);
  const early = uuidV7({ now: () => new Date(1000) });
  const late = uuidV7({ now: () => new Date(1001) });
  expect(early < late).toBe(true);
});

test("ids of one millisecond sort in the order in which they were made, whatever other clocks make", () => {
  const clock = { now: () => new Date(1000) };
  const ids = Array.from({ length: 5000 }, (_, index) => {
    if (index % 7 === 0) uuidV7(systemClock);
    return uuidV7(clock);
  });
  expect(ids.findIndex((id, index) => index > 0 && id <= ids[index - 1]!)).toBe(-1);
});
