import { expect, test } from "vitest";
import { catchUpExample } from "./catch-up.ts";

const at = (text: string) => Date.parse(text);
const sameDay = [at("2026-11-21T01:00Z"), at("2026-11-21T03:00Z"), at("2026-11-22T01:00Z")];

test.each([
  [
    "fire_one_missed",
    "If the scheduler is down from 01:00 to 05:00, the 04:00 fire runs once at 05:00 and the 02:00 fire is skipped.",
  ],
  ["skip", "If the scheduler is down from 01:00 to 05:00, the fires of 02:00 and 04:00 are skipped."],
  ["fire_all_missed", "If the scheduler is down from 01:00 to 05:00, the fires of 02:00 and 04:00 both run at 05:00."],
] as const)("the example of %s names times in the zone of the schedule", (policy, text) => {
  expect(catchUpExample(policy, sameDay, "Europe/Berlin")).toBe(text);
});

test("a frequent schedule has a short downtime", () => {
  expect(catchUpExample("skip", [at("2026-11-21T01:00Z"), at("2026-11-21T01:05Z")], "UTC")).toBe(
    "If the scheduler is down from 00:57:30 to 01:07:30, the fires of 01:00 and 01:05 are skipped.",
  );
});

test("dates are named when the downtime spans days", () => {
  expect(catchUpExample("skip", [at("2026-11-21T01:00Z"), at("2026-11-22T01:00Z")], "UTC")).toContain(
    "from 2026-11-21 00:00 to 2026-11-22 02:00, the fires of 2026-11-21 01:00 and 2026-11-22 01:00",
  );
});

test("without two runs there is no example", () => {
  expect(catchUpExample("skip", sameDay.slice(0, 1), "UTC")).toBeNull();
});
