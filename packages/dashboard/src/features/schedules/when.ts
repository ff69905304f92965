import { age } from "../../ui/time/format.ts";
import { fullText, minuteText, zoneOffsetMs } from "../../ui/time/instants.ts";

const dayMs = 86_400_000;
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

const dayOf = (text: string) => Date.parse(`${text.slice(0, 10)}T00:00Z`);

/** `in 1 min 18 s`; `12 s late` once it has passed. */
export function countdown(at: number, now: number): string {
  const left = at - now;
  if (left < 0 && left > -1000) return "now";
  return left < 0 ? `${age(-left)} late` : left < 1000 ? "now" : `in ${age(left)}`;
}

/** `17:40` today, `Sat 03:00` within six days, `2026-12-01 02:00` otherwise, in a zone; with seconds only where there are any. */
export function runText(at: number, zone: string, now: number): string {
  const text = minuteText(at, zone);
  const days = (dayOf(text) - dayOf(fullText(now, zone))) / dayMs;
  if (days === 0) return text.slice(11);
  return days > 0 && days < 7 ? `${weekdayOf(at, zone)} ${text.slice(11)}` : text;
}

/** `Sat`, in a zone. */
export const weekdayOf = (at: number, zone: string): string =>
  weekdays[new Date(dayOf(fullText(at, zone))).getUTCDay()] ?? "";

/** `UTC`, `UTC+2`, `UTC-3:30` of a zone at an instant. */
export function offsetText(at: number, zone: string): string {
  const minutes = Math.round(zoneOffsetMs(at, zone) / 60_000);
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

const known = new Map<string, string>();

/** The zone, or UTC if the browser does not know it. */
export function knownZone(zone: string): string {
  const cached = known.get(zone);
  if (cached !== undefined) return cached;
  let usable = "UTC";
  try {
    usable = new Intl.DateTimeFormat("en", { timeZone: zone || "UTC" }).resolvedOptions().timeZone && (zone || "UTC");
  } catch {
    // The zones of browsers differ from those of the service.
  }
  known.set(zone, usable);
  return usable;
}
