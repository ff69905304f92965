import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ListedZone, packedZones, rulesOf, zoneDataText } from "./zone-data.ts";

const require = createRequire(import.meta.url);
const data = packedZones(JSON.parse(readFileSync(require.resolve("moment-timezone/data/packed/latest.json"), "utf8")));
const file = join(import.meta.dirname, "../../packages/cadence/src/zones/zone-data.generated.ts");

test("the time-zone data is that of the installed release; npm run zones writes it", () => {
  expect(readFileSync(file, "utf8") === zoneDataText(data)).toBe(true);
});

describe("the rules of a zone", () => {
  const find = (name: string): ListedZone =>
    data.zones.find((zone) => zone.name === name) ?? { name, firstOffset: 0, changes: [] };
  const lastYear = 2499;

  test.each([
    [
      "Europe/Berlin",
      [
        { month: 3, day: 25, weekday: 0, wallSeconds: 7200, offset: 7200 },
        { month: 10, day: 25, weekday: 0, wallSeconds: 10_800, offset: 3600 },
      ],
    ],
    // The last Thursday at 24:00, which is sometimes in November.
    [
      "Africa/Cairo",
      [
        { month: 4, day: 24, weekday: 5, wallSeconds: 0, offset: 10_800 },
        { month: 10, day: 25, weekday: 4, wallSeconds: 86_400, offset: 7200 },
      ],
    ],
  ])("are found in %s", (name, rules) => {
    expect(rulesOf(find(name), lastYear).rules).toEqual(rules);
  });

  test("are none where the listed changes end", () => {
    for (const name of ["Asia/Tokyo", "Africa/Casablanca", "UTC"]) {
      expect(rulesOf(find(name), lastYear)).toMatchObject({ rules: [], listed: find(name).changes.length });
    }
  });
});
