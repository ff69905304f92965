import type { Schedule } from "@svc/client";

/** The scheduler of this service. Schedules of other owners belong to their engines. */
export const ownScheduler = "svc-scheduler";

export function stateOf({ is_enabled: isEnabled, paused_at, quarantined_at }: Schedule): string {
  if (quarantined_at !== null) return "quarantined";
  if (!isEnabled) return "disabled";
  return paused_at === null ? "enabled" : "paused";
}

/** When it fires, in words, or its expression if the service does not understand it. */
export const whenOf = ({ description, kind, expression, timezone }: Schedule): string =>
  description ?? `${kind} ${expression} (${timezone})`;

/** The zone of this machine. */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Sat 2026-11-28 02:30 +01:00`, with seconds if there are any. In UTC if this machine does not know the zone. */
export function timeIn(zone: string, instant: string): string {
  const part = partsIn(zone, new Date(instant));
  const seconds = part.second === "00" ? "" : `:${part.second}`;
  const offset = (part.timeZoneName ?? "").replace("GMT", "") || "+00:00";
  return `${part.weekday} ${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}${seconds} ${offset}`;
}

function partsIn(timeZone: string, date: Date): Readonly<Record<string, string>> {
  const parts = formatFor(timeZone).formatToParts(date);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const two = "2-digit";
  const style = {
    weekday: "short",
    year: "numeric",
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  } as const;
  const rest = { hourCycle: "h23", timeZoneName: "longOffset" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { ...style, ...rest, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...style, ...rest, timeZone: "UTC" });
  }
}
