import { isExactNumber } from "@svc/client";
import { cronOfCelery } from "./celery-crontab.ts";
import { isObject, type ScheduleDraft, UnsupportedEntry } from "./conversion.ts";

/** When an entry fires. `note` reports how a text that Celery rounds was read. */
export interface CelerySlots extends Pick<ScheduleDraft, "kind" | "expression"> {
  readonly timezone?: string;
  readonly note?: string;
}

const unitSeconds: Readonly<Record<string, number>> = {
  microseconds: 1e-6,
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

/** Celery's event names, and those of svc. The others are 12 and 18 degrees below the horizon. */
const solarEvents: Readonly<Record<string, string>> = {
  dawn_civil: "dawn",
  sunrise: "sunrise",
  solar_noon: "solar_noon",
  sunset: "sunset",
  dusk_civil: "dusk",
};

/**
 * Reads the `schedule` of an entry: seconds, an object, or the text that Python prints for a timedelta, crontab or solar schedule.
 *
 * @throws UnsupportedEntry
 */
export function readCelerySchedule(given: unknown): CelerySlots {
  if (typeof given === "number") return interval(given);
  if (typeof given === "string") return readPrinted(given.trim());
  if (!isObject(given) || isExactNumber(given)) throw new UnsupportedEntry("it has no schedule that svc can read");
  const type = given.__type__ ?? given.type;
  if (type === "rrule") throw new UnsupportedEntry("svc has no recurrence rules (rrule)");
  if ("event" in given)
    return solar(given.event, given.lat ?? given.latitude, given.lon ?? given.longitude ?? given.lng);
  if ("clocked_time" in given) return clocked(given.clocked_time);
  if ("every" in given || "run_every" in given) return every(given.every ?? given.run_every, given.period ?? "seconds");
  const isCrontab = ["minute", "hour", "day_of_month", "month_of_year", "day_of_week"].some((field) => field in given);
  if (isCrontab) return crontab(given);
  if (Object.keys(unitSeconds).some((unit) => unit in given)) return duration(given);
  throw new UnsupportedEntry("it has no schedule that svc can read");
}

export function crontab(given: Readonly<Record<string, unknown>>): CelerySlots {
  const zone = given.timezone ?? given.tz;
  return {
    kind: "cron",
    expression: cronOfCelery(given),
    ...(typeof zone === "string" && zone !== "" && { timezone: zone }),
  };
}

export function every(count: unknown, period: unknown): CelerySlots {
  const unit = typeof period === "string" && Object.hasOwn(unitSeconds, period) ? unitSeconds[period]! : undefined;
  if (typeof count !== "number" || unit === undefined)
    throw new UnsupportedEntry(`its interval is not a number of ${Object.keys(unitSeconds).join(", ")}`);
  return interval(period === "microseconds" ? count / 1e6 : count * unit);
}

export function clocked(time: unknown): CelerySlots {
  if (typeof time !== "string") throw new UnsupportedEntry("its clocked_time is not a text");
  return { kind: "clocked", expression: time };
}

export function solar(event: unknown, latitude: unknown, longitude: unknown): CelerySlots {
  const name = typeof event === "string" && Object.hasOwn(solarEvents, event) ? solarEvents[event] : undefined;
  if (name === undefined)
    throw new UnsupportedEntry(
      `svc has no solar event "${String(event).slice(0, 40)}", only ${Object.keys(solarEvents).join(", ")}`,
    );
  const [lat, lon] = [latitude, longitude].map((value) =>
    value === null || value === "" ? Number.NaN : Number(value),
  );
  return { kind: "solar", expression: `${name}:${degrees(lat!)}:${degrees(lon!)}` };
}

const degrees = (value: number): string => (Number.isFinite(value) ? String(Number(value.toFixed(10))) : "?");

function duration(given: Readonly<Record<string, unknown>>): CelerySlots {
  const parts = Object.entries(unitSeconds).map(([unit, seconds]) => Number(given[unit] ?? 0) * seconds);
  return interval(parts.reduce((sum, part) => sum + part, 0));
}

function interval(seconds: number): CelerySlots {
  if (!Number.isSafeInteger(seconds) || seconds < 1)
    throw new UnsupportedEntry(`its interval of ${seconds} s is not a whole number of seconds`);
  return { kind: "interval", expression: String(seconds) };
}

function readPrinted(text: string): CelerySlots {
  if (text.length > 300) throw new UnsupportedEntry("its schedule is too long");
  if (text.startsWith("<crontab: ")) return readPrintedCrontab(text);
  if (text.startsWith("<freq: ")) return readFrequency(text);
  if (text.startsWith("<solar: ")) {
    const found = /^<solar: (\w+) at latitude (\S+), longitude: (\S+)>$/.exec(text);
    if (found !== null) return solar(found[1], found[2], found[3]);
  }
  const found = /^(?:(\d{1,6}) days?, )?(\d{1,2}):(\d\d):(\d\d)(?:[.](\d{1,6}))?$/.exec(text);
  if (found === null) throw new UnsupportedEntry(`svc can't read its schedule "${text.slice(0, 60)}"`);
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1, 5).map((part) => Number(part ?? 0));
  const fraction = Number((found[5] ?? "0").padEnd(6, "0")) / 1e6;
  return interval(days * 86_400 + hours * 3600 + minutes * 60 + seconds + fraction);
}

/** `<crontab: 0 4 * * 1 (m/h/dM/MY/d)>`. Before Celery 5.3 the order was `(m/h/d/dM/MY)`. */
function readPrintedCrontab(text: string): CelerySlots {
  const parts = text.slice("<crontab: ".length, -1).split(" ");
  const order = parts.pop() ?? "";
  const names: Readonly<Record<string, string>> = {
    m: "minute",
    h: "hour",
    dM: "day_of_month",
    MY: "month_of_year",
    d: "day_of_week",
  };
  const fields = order.slice(1, -1).split("/");
  const isKnown = fields.length === 5 && fields.every((field) => Object.hasOwn(names, field));
  if (!isKnown || parts.length !== 5) throw new UnsupportedEntry(`svc can't read its schedule "${text.slice(0, 60)}"`);
  return crontab(Object.fromEntries(fields.map((field, index) => [names[field]!, parts[index]])));
}

/** `<freq: 5.00 minutes>`, which Celery rounds to two digits of the largest unit. */
function readFrequency(text: string): CelerySlots {
  const [count = "", unit = ""] = text.slice("<freq: ".length, -1).split(" ");
  const name = unit.endsWith("s") ? unit : `${unit}s`;
  const size = Object.hasOwn(unitSeconds, name) ? unitSeconds[name]! : Number.NaN;
  const seconds = Number(count) * size;
  if (!Number.isInteger(Number(count)) || !Number.isFinite(seconds))
    throw new UnsupportedEntry(`Celery rounds its interval "${text.slice(0, 60)}": write it in seconds`);
  const read = interval(seconds);
  return size > 60 ? { ...read, note: `"${text}" is rounded by Celery and read as ${seconds} s` } : read;
}
