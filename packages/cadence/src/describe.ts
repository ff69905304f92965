import { type CadenceDefinition, cadenceKinds } from "./cadence.ts";
import { CadenceError } from "./cadence-error.ts";
import { readInstantIn } from "./clocked.ts";
import { describeCron } from "./cron/describe-cron.ts";
import { readInterval } from "./interval.ts";
import { readSolar } from "./solar.ts";
import { findZone } from "./zones/zone.ts";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

const solarNames: Readonly<Record<string, string>> = {
  noon: "solar noon",
  solar_noon: "solar noon",
  midnight: "solar midnight",
  solar_midnight: "solar midnight",
};

/** `2026-03-01 at 05:00`, with seconds and milliseconds only if there are any. */
const instantText = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .slice(0, -1)
    .replace("T", " at ")
    .replace(/[.]000$/, "")
    .replace(/(at \d\d:\d\d):00$/, "$1");

/** When a schedule fires, as an English sentence without the full stop. @throws CadenceError like `compileCadence` */
export function describeCadence({ kind, expression, timezone }: CadenceDefinition): string {
  const zone = findZone(timezone);
  switch (kind) {
    case "cron":
      return `${describeCron(expression)} (${timezone === "" ? "UTC" : timezone})`;
    case "interval": {
      const seconds = readInterval(expression);
      const [unit, size] = units.find(([, unitSeconds]) => seconds % unitSeconds === 0) ?? ["second", 1];
      return seconds === size ? `Every ${unit}` : `Every ${seconds / size} ${unit}s`;
    }
    case "clocked":
      return `Once, on ${instantText(readInstantIn(expression, zone))} (UTC)`;
    case "solar": {
      const { event, latitude, longitude } = readSolar(expression);
      return `Every day at ${solarNames[event] ?? event} at latitude ${latitude}, longitude ${longitude}`;
    }
    default:
      throw new CadenceError("invalid_kind", `the kind is one of ${cadenceKinds.join(", ")}`);
  }
}
