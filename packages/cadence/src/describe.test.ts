import { expect, test } from "vitest";
import { describeCadence } from "./index.ts";

test.each([
  ["cron", "30 2 * * *", "Europe/Berlin", "Every day at 02:30 (Europe/Berlin)"],
  ["cron", "30 2 * * *", "", "Every day at 02:30 (UTC)"],
  ["interval", "1", "", "Every second"],
  ["interval", "90", "", "Every 90 seconds"],
  ["interval", "300", "", "Every 5 minutes"],
  ["interval", "3600", "", "Every hour"],
  ["interval", "172800", "", "Every 2 days"],
  ["clocked", "2026-03-01T06:00", "Europe/Berlin", "Once, on 2026-03-01 at 05:00 (UTC)"],
  ["clocked", "2026-03-01T06:00:30.250Z", "", "Once, on 2026-03-01 at 06:00:30.250 (UTC)"],
  ["solar", "sunrise:52.5:13.4", "", "Every day at sunrise at latitude 52.5, longitude 13.4"],
  ["solar", "noon:-33.9:151", "", "Every day at solar noon at latitude -33.9, longitude 151"],
])("%s %s in %j is described as: %s", (kind, expression, timezone, text) => {
  expect(describeCadence({ kind, expression, timezone })).toBe(text);
});

test.each([
  ["rrule", "", "", "invalid_kind"],
  ["interval", "0", "", "invalid_interval"],
  ["cron", "x", "", "invalid_cron"],
  ["solar", "x", "", "invalid_solar"],
  ["clocked", "x", "", "invalid_instant"],
  ["cron", "* * * * *", "Mars/Base", "unknown_timezone"],
])("%s %j in %j is refused as %s", (kind, expression, timezone, reason) => {
  expect(() => describeCadence({ kind, expression, timezone })).toThrow(expect.objectContaining({ reason }));
});
