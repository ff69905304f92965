import fc from "fast-check";
import { expect, test } from "vitest";
import { reachedRange } from "./reach.ts";

const dayMs = 86_400_000;
const now = Date.parse("2026-11-20T10:17:00.000Z");
const text = (ms: number) => new Date(ms).toISOString();

test("a range without a start begins the given length before its end", () => {
  expect(reachedRange({}, now, dayMs)).toEqual({ since: "2026-11-19T10:00:00.000Z" });
  expect(reachedRange({ until: "2026-10-01T00:00:00.000Z" }, now, dayMs)).toEqual({
    since: "2026-09-30T00:00:00.000Z",
    until: "2026-10-01T00:00:00.000Z",
  });
});

test("a range within the API's limit is unchanged, however old", () => {
  const old = { since: "2025-01-01T00:00:00.000Z", until: "2025-02-01T00:00:00.000Z" };
  expect(reachedRange(old, now, dayMs)).toEqual(old);
});

test("no range starts after its end or exceeds the API's limit", () => {
  const instants = fc.integer({ min: 0, max: 4_000 }).map((days) => now - days * dayMs);
  fc.assert(
    fc.property(fc.option(instants), fc.option(instants), (from, to) => {
      fc.pre(from === null || from < (to ?? now));
      const range = { ...(from !== null && { since: text(from) }), ...(to !== null && { until: text(to) }) };
      const asked = reachedRange(range, now, 7 * dayMs);
      const lengthMs = Date.parse(asked.until ?? text(now)) - Date.parse(asked.since);
      expect(lengthMs).toBeGreaterThan(0);
      expect(lengthMs).toBeLessThan(90 * dayMs);
    }),
  );
});
