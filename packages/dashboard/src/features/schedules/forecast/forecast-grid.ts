import { plural } from "@svc/client";

/** One hour of the forecast. */
export interface ForecastHour {
  starts_at: string;
  /** `2026-03-29`, in the zone of the project. */
  date: string;
  hour: number;
  fires: number;
}

/** A cell of the grid: an hour on clocks, of one day. */
export interface GridCell {
  date: string;
  hour: number;
  fires: number;
  /** How often the hour occurs on that day: 0 where clocks skip it or the forecast does not reach, 2 where they are set back. */
  times: number;
}

export interface GridDay {
  date: string;
  cells: GridCell[];
}

const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** The hours by day, each with 24 cells. */
export function forecastDays(forecast: readonly ForecastHour[]): GridDay[] {
  const days = new Map<string, GridCell[]>();
  for (const { date, hour, fires } of forecast) {
    const cells = days.get(date) ?? hours.map((one) => ({ date, hour: one, fires: 0, times: 0 }));
    days.set(date, cells);
    const cell = cells[hour];
    if (cell === undefined) continue;
    cell.fires += fires;
    cell.times += 1;
  }
  return [...days].map(([date, cells]) => ({ date, cells }));
}

/** How dark a cell is drawn: 0 without fires, 4 for the most. */
export const forecastLevel = (fires: number, most: number): number =>
  fires === 0 ? 0 : Math.max(1, Math.ceil((fires / most) * 4));

const clock = (hour: number) => `${String(hour).padStart(2, "0")}:00`;

/** `2026-11-21 03:00: 14 fires` */
export function cellText({ date, hour, fires, times }: GridCell): string {
  if (times === 0) return `${date} ${clock(hour)}: not in the forecast`;
  return `${date} ${clock(hour)}: ${plural(fires, "fire")}${times > 1 ? ", the hour occurs twice" : ""}`;
}

/** `812 fires in 7 days, at most 14 in an hour, from 2026-11-21 03:00.` */
export function forecastSummary(cells: readonly GridCell[]): string {
  const fires = cells.reduce((sum, cell) => sum + cell.fires, 0);
  const covered = cells.filter(({ times }) => times > 0);
  const length = covered.length > 48 ? plural(new Set(covered.map(({ date }) => date)).size, "day") : "24 hours";
  const peak = covered.reduce<GridCell | null>((most, cell) => (cell.fires > (most?.fires ?? 0) ? cell : most), null);
  if (peak === null) return `No fires in ${length}`;
  return `${plural(fires, "fire")} in ${length}, at most ${peak.fires} in an hour, from ${peak.date} ${clock(peak.hour)}`;
}
