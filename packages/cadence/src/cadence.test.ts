import { Body, Observer, SearchAltitude, SearchHourAngle } from "astronomy-engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cadenceKinds, compileCadence, newestSlot, requireSlot, slotsBetween } from "./index.ts";

const cadence = (kind: string, expression: string, timezone = "") => compileCadence({ kind, expression, timezone });
const at = (text: string) => Date.parse(text);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

test.each(["rrule", "", "CRON"])("the kind %j is refused", (kind) => {
  const refusal = { reason: "invalid_kind", field: "kind", message: `the kind is one of ${cadenceKinds.join(", ")}` };
  expect(() => cadence(kind, "* * * * *")).toThrow(expect.objectContaining(refusal));
});

describe("an interval", () => {
  test("counts from the previous slot", () => {
    expect(cadence("interval", "90").next(at("2026-03-01T06:00:00.123Z"))).toBe(at("2026-03-01T06:01:30.123Z"));
    expect(cadence("interval", "31536000").next(0)).toBe(31_536_000_000);
  });

  test.each(["0", "31536001", "1.5", "-1", "1e3", "", "five"])("of %j seconds is refused", (expression) => {
    expect(() => cadence("interval", expression)).toThrow(expect.objectContaining({ reason: "invalid_interval" }));
  });
});

describe("a clocked schedule", () => {
  test.each([
    ["2026-03-01T06:00:00Z", "", "2026-03-01T06:00:00.000Z"],
    ["2026-03-01T06:00:00.250+02:00", "Europe/Berlin", "2026-03-01T04:00:00.250Z"],
    ["2026-03-01 06:00", "Europe/Berlin", "2026-03-01T05:00:00.000Z"],
    ["2026-07-01T06:00", "Europe/Berlin", "2026-07-01T04:00:00.000Z"],
    ["2026-07-01T06:00:30-0330", "", "2026-07-01T09:30:30.000Z"],
    // In a gap the first instant after it; of two, the first.
    ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ])("at %s in %s fires once, at %s", (expression, timezone, expected) => {
    const once = cadence("clocked", expression, timezone);
    expect(iso(once.next(0))).toBe(expected);
    expect(once.next(at(expected) - 1)).toBe(at(expected));
    expect(once.next(at(expected))).toBe(null);
  });

  test.each([
    "",
    "tomorrow",
    "2026-03-01",
    "2026-02-29T06:00Z",
    "2026-13-01T06:00Z",
    "2026-03-01T24:00Z",
    "1969-12-31T06:00Z",
    "2200-01-01T00:00Z",
  ])("at %j is refused", (expression) => {
    expect(() => cadence("clocked", expression)).toThrow(expect.objectContaining({ reason: "invalid_instant" }));
  });
});

describe("a solar schedule", () => {
  const places = {
    Berlin: [52.52, 13.4],
    "New York": [40.7, -74],
    Sydney: [-33.87, 151.2],
    Quito: [-0.2, -78.5],
    Suva: [-18.1, 178.4],
  };
  const heights = { sunrise: [1, -0.833], sunset: [-1, -0.833], dawn: [1, -6], dusk: [-1, -6] } as const;
  const cases = Object.entries(places).flatMap(([name, [latitude = 0, longitude = 0]]) =>
    Object.entries(heights).map(([event, [direction, height]]) => ({
      name,
      latitude,
      longitude,
      event,
      direction,
      height,
    })),
  );

  test.each(cases)("$event in $name agrees with an ephemeris within a minute", (given) => {
    const { latitude, longitude, event, direction, height } = given;
    const daily = cadence("solar", `${event}:${latitude}:${longitude}`);
    const observer = new Observer(latitude, longitude, 0);
    let from = at("2026-01-01T00:00Z");
    for (let day = 0; day < 365; day += 7) {
      const slot = daily.next(from) ?? Number.NaN;
      const expected = SearchAltitude(Body.Sun, observer, direction, new Date(from), 3, height)?.date.getTime();
      expect(Math.abs(slot - (expected ?? 0))).toBeLessThan(60_000);
      from += 7 * 86_400_000;
    }
  });

  test.each([
    ["noon", 0],
    ["solar_noon", 0],
    ["midnight", 12],
    ["solar_midnight", 12],
  ] as const)("%s agrees too", (event, hour) => {
    const from = at("2026-11-03T00:00Z");
    const expected = SearchHourAngle(Body.Sun, new Observer(52.52, 13.4, 0), hour, new Date(from)).time.date.getTime();
    expect(Math.abs((cadence("solar", `${event}:52.52:13.4`).next(from) ?? 0) - expected)).toBeLessThan(60_000);
  });

  test("skips the days of the polar night and of the midnight sun", () => {
    const sunrise = cadence("solar", "sunrise:69.65:18.96");
    expect(iso(sunrise.next(at("2026-12-01T00:00Z")))?.slice(0, 7)).toBe("2027-01");
    expect(iso(sunrise.next(at("2026-06-01T00:00Z")))?.slice(0, 7)).toBe("2026-07");
  });

  test("has at most one sunrise and one sunset a year at a pole, and no search without end", () => {
    expect(cadence("solar", "dusk:90:0").next(at("2026-01-01T00:00Z"))).toBe(null);
  });

  test.each([
    "sunrise",
    "noon:1",
    "moonrise:1:1",
    "noon:91:0",
    "noon:0:181",
    "noon:1:2:3",
    "noon:x:0",
    "noon::",
    "noon:1e1:0",
  ])("%s is refused", (expression) => {
    expect(() => cadence("solar", expression)).toThrow(expect.objectContaining({ reason: "invalid_solar" }));
  });
});

test.each([
  ["cron", "0 0 30 2 *", "no date within eight years matches the expression"],
  ["clocked", "2026-01-01T00:00Z", "the instant is in the past"],
  ["solar", "dusk:90:0", "the event does not occur at this place within a year"],
])("%s %s without a slot is refused: %s", (kind, expression, message) => {
  const now = at("2026-03-01T06:00Z");
  const refusal = { reason: "never_matches", field: "expression", message };
  expect(() => requireSlot(cadence(kind, expression), now)).toThrow(expect.objectContaining(refusal));
});

test("the first slot of a schedule is returned", () => {
  expect(requireSlot(cadence("interval", "60"), 1000)).toBe(61_000);
});

describe("slots in a range", () => {
  const hourly = cadence("cron", "0 * * * *");

  test("exclude the start and include the end", () => {
    const { slots, isCapped } = slotsBetween(hourly, at("2026-03-01T06:00Z"), at("2026-03-01T08:00Z"), 10);
    expect([slots.map(iso), isCapped]).toEqual([["2026-03-01T07:00:00.000Z", "2026-03-01T08:00:00.000Z"], false]);
  });

  test("are cut at the cap", () => {
    const range = [at("2026-03-01T06:00Z"), at("2026-03-01T09:00Z")] as const;
    expect(slotsBetween(hourly, ...range, 2)).toMatchObject({ slots: { length: 2 }, isCapped: true });
    expect(slotsBetween(hourly, ...range, 3)).toMatchObject({ slots: { length: 3 }, isCapped: false });
  });

  test("have a newest one, which is the last of the list", () => {
    const definitions = fc.constantFrom(
      ["cron", "*/7 * * * *"],
      ["cron", "0 3 1 * *"],
      ["cron", "0 0 29 2 *"],
      ["interval", "77"],
      ["clocked", "2026-03-01T06:00Z"],
      ["solar", "sunset:52:13"],
    );
    const start = fc.integer({ min: at("2026-01-01T00:00Z"), max: at("2026-06-01T00:00Z") });
    const length = fc.oneof(fc.integer({ min: 0, max: 3_600_000 }), fc.integer({ min: 0, max: 40 * 86_400_000 }));
    fc.assert(
      fc.property(definitions, start, length, ([kind = "", expression = ""], after, ms) => {
        const given = cadence(kind, expression, "Europe/Berlin");
        const { slots } = slotsBetween(given, after, after + ms, 100_000);
        expect(newestSlot(given, after, after + ms)).toBe(slots.at(-1) ?? null);
      }),
      { numRuns: 200 },
    );
  });

  test("have a newest one also after years", () => {
    const every = cadence("cron", "* * * * * *");
    expect(iso(newestSlot(every, 0, at("2026-03-01T06:00:00.500Z")))).toBe("2026-03-01T06:00:00.000Z");
    expect(iso(newestSlot(cadence("interval", "1"), 0, at("2026-03-01T06:00:00.500Z")))).toBe(
      "2026-03-01T06:00:00.000Z",
    );
  });
});
