import { plural } from "@svc/client";
import { minuteText } from "../../../ui/time/instants.ts";

/** The fires of a quarter of an hour. */
export interface Quarter {
  startMs: number;
  fires: number;
  /** Schedules in its busiest minute; 0 if that is not known. */
  mostPerMinute: number;
  /** Fires of the schedule that is edited, which `fires` contains. */
  own: number;
}

interface ForecastQuarter {
  starts_at: string;
  fires: number;
  most_per_minute: number;
}

/** The quarters of a forecast. `own` are the fires of another schedule by the start of their quarter. */
export const quartersOf = (forecast: readonly ForecastQuarter[], own?: ReadonlyMap<number, number>): Quarter[] =>
  forecast.map(({ starts_at, fires, most_per_minute }) => {
    const startMs = Date.parse(starts_at);
    const more = own?.get(startMs) ?? 0;
    return { startMs, fires: fires + more, mostPerMinute: own ? 0 : most_per_minute, own: more };
  });

/** The quarter with the most fires; the first of equal ones. */
export const peakOf = (quarters: readonly Quarter[]): Quarter | null =>
  quarters.reduce<Quarter | null>((most, one) => (one.fires > (most?.fires ?? 0) ? one : most), null);

const clock = (at: number, zone: string) => minuteText(at, zone).slice(11);

/** `14 at 03:00, 9 in one minute` */
export function peakText({ startMs, fires, mostPerMinute }: Quarter, zone: string): string {
  return `${fires} at ${clock(startMs, zone)}${mostPerMinute > 1 ? `, ${mostPerMinute} in one minute` : ""}`;
}

/** `2026-11-21 03:00: 14 fires, up to 9 in one minute` */
export function quarterText({ startMs, fires, mostPerMinute, own }: Quarter, zone: string): string {
  const busiest = mostPerMinute > 1 ? `, up to ${mostPerMinute} in one minute` : "";
  return `${minuteText(startMs, zone)}: ${plural(fires, "fire")}${busiest}${own > 0 ? `, ${own} of this schedule` : ""}`;
}

/** `Between 0 and 14 fires in each quarter of an hour of the next 24 hours. The peak is 14 at 03:00, 9 in one minute.` */
export function quarterSummary(quarters: readonly Quarter[], zone: string): string {
  const peak = peakOf(quarters);
  if (peak === null) return "No fires in the next 24 hours";
  const least = Math.min(...quarters.map(({ fires }) => fires));
  return `Between ${least} and ${plural(peak.fires, "fire")} in each quarter of an hour of the next 24 hours. The peak is ${peakText(peak, zone)}`;
}
