import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count } from "../../../ui/time/format.ts";
import { useNowEvery } from "../../../ui/time/ticker.ts";
import css from "../schedules.module.css";
import { dayText, heatDays, heatLevel, heatSummary } from "./heat-days.ts";
import type { StripFire } from "./strip-cells.ts";

const cellPx = 20;
const labelPx = 34;
const rowLabels = ["Mon", "", "Wed", "", "Fri", "", "Sun"];

interface HeatCalendarProps {
  /** Newest first. */
  fires: readonly StripFire[];
  /** Whether older fires exist. */
  isCut: boolean;
  zone: string;
  /** Whether it is shown as a table. */
  isTable: boolean;
}

/** The fires of the last 30 days: darker with more fires, with a cross where some failed. */
export function HeatCalendar({ fires, isCut, zone, isTable }: HeatCalendarProps) {
  const now = useNowEvery(60_000);
  const days = heatDays(fires, { zone, now, isCut });
  const most = Math.max(1, ...days.map((day) => day.fires));
  if (isTable) {
    return (
      <DataTable
        size="dense"
        rows={days.filter((day) => day.isKnown).reverse()}
        rowKey={({ day }) => day}
        columns={[
          { header: "Day", isRowHeader: true, cell: ({ day }) => day },
          { header: "Fires", className: "num", cell: (day) => count(day.fires) },
          { header: "Failed", className: "num", cell: ({ failed }) => count(failed) },
        ]}
      />
    );
  }
  const weeks = (days.at(-1)?.week ?? 0) + 1;
  return (
    <svg
      className={css.heat}
      width={labelPx + weeks * cellPx}
      height={7 * cellPx}
      role="img"
      aria-label={heatSummary(days)}
    >
      {rowLabels.map((label, row) =>
        label === "" ? null : (
          <text key={label} x="0" y={row * cellPx + 14}>
            {label}
          </text>
        ),
      )}
      {days.map((day) => {
        const [x, y] = [labelPx + day.week * cellPx, day.weekday * cellPx];
        return (
          <g key={day.day} transform={`translate(${x} ${y})`}>
            <rect
              data-level={day.isKnown ? heatLevel(day.fires, most) : undefined}
              data-wrong={day.failed > 0}
              x="0.5"
              y="0.5"
              width={cellPx - 4}
              height={cellPx - 4}
              rx="2"
            />
            {day.failed > 0 ? <path d="m5 5 7 7m0-7-7 7" /> : null}
            <title>{dayText(day)}</title>
          </g>
        );
      })}
    </svg>
  );
}
