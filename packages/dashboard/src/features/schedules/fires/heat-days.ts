import { plural } from "@svc/client";
import { fullText } from "../../../ui/time/instants.ts";
import { fireStyle } from "./fire-status.ts";
import type { StripFire } from "./strip-cells.ts";

/** The fires of one day in a zone. */
export interface HeatDay {
  /** `2026-11-20` */
  day: string;
  fires: number;
  failed: number;
  /** False for days before the oldest fire of a list that was cut. */
  isKnown: boolean;
  /** Column and row in a calendar whose rows are the weekdays from Monday on. */
  week: number;
  weekday: number;
}

const dayMs = 86_400_000;

interface HeatOptions {
  zone: string;
  now: number;
  /** Whether older fires exist that are not in the list. */
  isCut: boolean;
  days?: number;
}

/** The last days, oldest first, with the fires whose slots were in them. */
export function heatDays(
  fires: readonly Pick<StripFire, "scheduled_for" | "status">[],
  { zone, now, isCut, days = 30 }: HeatOptions,
): HeatDay[] {
  const counts = new Map<string, { fires: number; failed: number }>();
  let oldest = "9999";
  for (const { scheduled_for, status } of fires) {
    const day = fullText(Date.parse(scheduled_for), zone).slice(0, 10);
    const count = counts.get(day) ?? { fires: 0, failed: 0 };
    count.fires += 1;
    if (fireStyle(status).group === "failed") count.failed += 1;
    counts.set(day, count);
    if (day < oldest) oldest = day;
  }
  const todayMs = Date.parse(`${fullText(now, zone).slice(0, 10)}T00:00Z`);
  const weekdayOf = (ms: number) => (new Date(ms).getUTCDay() + 6) % 7;
  const firstMs = todayMs - (days - 1) * dayMs;
  return Array.from({ length: days }, (_, at) => {
    const ms = firstMs + at * dayMs;
    const day = new Date(ms).toISOString().slice(0, 10);
    return {
      day,
      ...(counts.get(day) ?? { fires: 0, failed: 0 }),
      isKnown: !isCut || day >= oldest,
      week: Math.floor((at + weekdayOf(firstMs)) / 7),
      weekday: weekdayOf(ms),
    };
  });
}

/** How dark a count is drawn, 0 to 4, relative to the greatest one. */
export const heatLevel = (count: number, most: number): number => (count === 0 ? 0 : Math.ceil((count / most) * 4));

export function dayText({ day, fires, failed, isKnown }: HeatDay): string {
  if (!isKnown) return `${day}: not loaded`;
  return `${day}: ${fires === 0 ? "no fires" : plural(fires, "fire")}${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** `Fires of the last 30 days: 812, of which 3 failed on 2 days.` */
export function heatSummary(days: readonly HeatDay[]): string {
  const fires = days.reduce((sum, day) => sum + day.fires, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  const bad = days.filter((day) => day.failed > 0);
  const rest = failed === 0 ? "none failed" : `${failed} failed on ${bad.map(({ day }) => day).join(", ")}`;
  return `Fires of the last ${plural(days.length, "day")}: ${fires}${fires === 0 ? "" : `, ${rest}`}`;
}
