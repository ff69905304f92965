import { useSyncExternalStore } from "react";
import { createStore } from "../store.ts";

/** The time zone of displayed times. `mine` is this browser's zone. */
export type ZoneChoice = "utc" | "mine" | "project";

const kept = createStore<ZoneChoice>(readChoice());

function readChoice(): ZoneChoice {
  try {
    const value = localStorage.getItem("svc.zone");
    if (value === "mine" || value === "project") return value;
  } catch {
    // Storage may be blocked.
  }
  return "utc";
}

export function chooseZone(choice: ZoneChoice): void {
  kept.set(choice);
  try {
    localStorage.setItem("svc.zone", choice);
  } catch {
    // Storage is blocked; the choice lasts for this page only.
  }
}

const projectZone = createStore("UTC");
/** Sets the zone that `project` means, when the shell opens a project. Displayed times are updated. */
export const setProjectZone = projectZone.set;

export function useZone(): { choice: ZoneChoice; zone: string; label: string } {
  const choice = useSyncExternalStore(kept.subscribe, kept.get);
  const ofProject = useSyncExternalStore(projectZone.subscribe, projectZone.get);
  const zone = zoneOf(choice, ofProject);
  return { choice, zone, label: choice === "utc" ? "UTC" : zone };
}

function zoneOf(choice: ZoneChoice, ofProject: string): string {
  if (choice === "utc") return "UTC";
  if (choice === "project") return ofProject;
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function format(zone: string, part: "clock" | "full" | "short"): Intl.DateTimeFormat {
  const key = `${zone} ${part}`;
  const known = formats.get(key);
  if (known) return known;
  const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const options: Intl.DateTimeFormatOptions =
    part === "clock"
      ? { ...clock, fractionalSecondDigits: 1 }
      : part === "short"
        ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
        : { year: "numeric", month: "2-digit", day: "2-digit", ...clock, fractionalSecondDigits: 3 };
  const made = new Intl.DateTimeFormat("sv-SE", { ...options, timeZone: zone });
  formats.set(key, made);
  return made;
}

/** `17:38:06.8` */
export function clockText(at: number, zone: string): string {
  return format(zone, "clock").format(at).replace(",", ".");
}

/** `17:38` */
export function shortClockText(at: number, zone: string): string {
  return format(zone, "short").format(at);
}

/** `2026-11-20 17:38:06.812` */
export function fullText(at: number, zone: string): string {
  return format(zone, "full").format(at).replace(",", ".");
}

/** `2026-11-20 17:38:06.812345` of an API timestamp with six decimals; with those that it has. */
export function exactText(text: string, zone: string): string {
  const [, micros = ""] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  return fullText(Date.parse(text), zone) + micros;
}

/** `2026-11-20 17:38`, with its seconds only where they are not zero. */
export function minuteText(at: number, zone: string): string {
  const full = fullText(at, zone);
  return full.slice(17, 19) === "00" ? full.slice(0, 16) : full.slice(0, 19);
}

/** `17:37:31 to 17:37:45`, with the date unless it is today, and with a second date if different. */
export function spanText(fromMs: number, toMs: number, zone: string, now = Date.now()): string {
  const parts = (at: number) => [fullText(at, zone).slice(0, 10), fullText(at, zone).slice(11, 19)] as const;
  const [fromDay, fromTime] = parts(fromMs);
  const [toDay, toTime] = parts(toMs);
  const start = fromDay === toDay && fromDay === parts(now)[0] ? fromTime : `${fromDay} ${fromTime}`;
  if (fromDay === toDay && fromTime === toTime) return start;
  return `${start} to ${fromDay === toDay ? toTime : `${toDay} ${toTime}`}`;
}

/** The UTC offset of a zone at an instant, in milliseconds. */
export function zoneOffsetMs(at: number, zone: string): number {
  return zone === "UTC" ? 0 : Date.parse(`${fullText(at, zone).replace(" ", "T")}Z`) - at;
}

/** Milliseconds since 1970 of a local time such as `2026-11-20T17:38` in a zone; NaN when invalid. */
export function zonedMs(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return asUtc;
  // Uses the offset at the first estimate: they differ when clocks change.
  return asUtc - zoneOffsetMs(asUtc - zoneOffsetMs(asUtc, zone), zone);
}

/** Milliseconds since 1970 of an API timestamp; NaN when absent. */
export function instant(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}
