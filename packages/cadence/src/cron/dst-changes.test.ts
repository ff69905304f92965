import { describe, expect, test } from "vitest";
import { compileCadence, slotsBetween } from "../index.ts";

// Every change of eight zones in three years: the instant, the wall time that would follow without the change, and the one that does.
const changes = {
  "Europe/Berlin": [
    ["2026-03-29T01:00Z", "02:00", "03:00"],
    ["2026-10-25T01:00Z", "03:00", "02:00"],
    ["2027-03-28T01:00Z", "02:00", "03:00"],
    ["2027-10-31T01:00Z", "03:00", "02:00"],
    ["2028-03-26T01:00Z", "02:00", "03:00"],
    ["2028-10-29T01:00Z", "03:00", "02:00"],
  ],
  "Europe/London": [
    ["2026-03-29T01:00Z", "01:00", "02:00"],
    ["2026-10-25T01:00Z", "02:00", "01:00"],
    ["2027-03-28T01:00Z", "01:00", "02:00"],
    ["2027-10-31T01:00Z", "02:00", "01:00"],
    ["2028-03-26T01:00Z", "01:00", "02:00"],
    ["2028-10-29T01:00Z", "02:00", "01:00"],
  ],
  "America/New_York": [
    ["2026-03-08T07:00Z", "02:00", "03:00"],
    ["2026-11-01T06:00Z", "02:00", "01:00"],
    ["2027-03-14T07:00Z", "02:00", "03:00"],
    ["2027-11-07T06:00Z", "02:00", "01:00"],
    ["2028-03-12T07:00Z", "02:00", "03:00"],
    ["2028-11-05T06:00Z", "02:00", "01:00"],
  ],
  "America/St_Johns": [
    ["2026-03-08T05:30Z", "02:00", "03:00"],
    ["2026-11-01T04:30Z", "02:00", "01:00"],
    ["2027-03-14T05:30Z", "02:00", "03:00"],
    ["2027-11-07T04:30Z", "02:00", "01:00"],
    ["2028-03-12T05:30Z", "02:00", "03:00"],
    ["2028-11-05T04:30Z", "02:00", "01:00"],
  ],
  "America/Santiago": [
    ["2026-04-05T03:00Z", "00:00", "23:00"],
    ["2026-09-06T04:00Z", "00:00", "01:00"],
    ["2027-04-04T03:00Z", "00:00", "23:00"],
    ["2027-09-05T04:00Z", "00:00", "01:00"],
    ["2028-04-02T03:00Z", "00:00", "23:00"],
    ["2028-09-03T04:00Z", "00:00", "01:00"],
  ],
  "Africa/Cairo": [
    ["2026-04-23T22:00Z", "00:00", "01:00"],
    ["2026-10-29T21:00Z", "00:00", "23:00"],
    ["2027-04-29T22:00Z", "00:00", "01:00"],
    ["2027-10-28T21:00Z", "00:00", "23:00"],
    ["2028-04-27T22:00Z", "00:00", "01:00"],
    ["2028-10-26T21:00Z", "00:00", "23:00"],
  ],
  "Australia/Lord_Howe": [
    ["2026-04-04T15:00Z", "02:00", "01:30"],
    ["2026-10-03T15:30Z", "02:00", "02:30"],
    ["2027-04-03T15:00Z", "02:00", "01:30"],
    ["2027-10-02T15:30Z", "02:00", "02:30"],
    ["2028-04-01T15:00Z", "02:00", "01:30"],
    ["2028-09-30T15:30Z", "02:00", "02:30"],
  ],
  "Pacific/Auckland": [
    ["2026-04-04T14:00Z", "03:00", "02:00"],
    ["2026-09-26T14:00Z", "02:00", "03:00"],
    ["2027-04-03T14:00Z", "03:00", "02:00"],
    ["2027-09-25T14:00Z", "02:00", "03:00"],
    ["2028-04-01T14:00Z", "03:00", "02:00"],
    ["2028-09-23T14:00Z", "02:00", "03:00"],
  ],
} satisfies Record<string, [instant: string, before: string, after: string][]>;

const minuteMs = 60_000;
const minutesOf = (wall: string) => Number(wall.slice(0, 2)) * 60 + Number(wall.slice(3));

/** All slots from 12 hours before `instant` to 12 hours after it, in minutes from it. */
function slotsAround(expression: string, timezone: string, instant: string): number[] {
  const at = Date.parse(instant);
  const cadence = compileCadence({ kind: "cron", expression, timezone });
  const { slots } = slotsBetween(cadence, at - 720 * minuteMs - 1, at + 720 * minuteMs, 2000);
  return slots.map((slot) => (slot - at) / minuteMs);
}
const dailyAt = (minutes: number) => `${minutes % 60} ${Math.floor(minutes / 60) % 24} * * *`;

describe.each(Object.entries(changes))("in %s", (timezone, list) => {
  test.each(list)("around %s, when %s becomes %s", (instant, before, after) => {
    // The shift is at most an hour, also across midnight.
    const shift = ((minutesOf(after) - minutesOf(before) + 2160) % 1440) - 720;
    const change = minutesOf(before) + 1440;
    expect([60, 30, -60, -30]).toContain(shift);
    // No step is lost or repeated, because both sides are multiples of ten minutes.
    expect(slotsAround("*/10 * * * *", timezone, instant)).toEqual(Array.from({ length: 145 }, (_, i) => i * 10 - 720));
    if (shift > 0) {
      // The gap begins at the change by the old clock.
      expect(slotsAround(dailyAt(change), timezone, instant)).toEqual([0]);
      expect(slotsAround(dailyAt(change + shift - 1), timezone, instant)).toEqual([0]);
      expect(slotsAround(dailyAt(change + shift), timezone, instant)).toEqual([0]);
      expect(slotsAround(`${dailyAt(change + 10)} 30`, timezone, instant)).toEqual([0]);
      expect(slotsAround(dailyAt(change + shift + 1), timezone, instant)).toEqual([1]);
      expect(slotsAround(dailyAt(change - 1), timezone, instant)).toEqual([-1]);
    } else {
      expect(slotsAround(dailyAt(change - 1), timezone, instant)).toEqual([-1, -shift - 1]);
      expect(slotsAround(dailyAt(change + shift), timezone, instant)).toEqual([shift, 0]);
      expect(slotsAround(dailyAt(change + shift - 1), timezone, instant)).toEqual([shift - 1]);
      expect(slotsAround(dailyAt(change), timezone, instant)).toEqual([-shift]);
    }
  });
});
