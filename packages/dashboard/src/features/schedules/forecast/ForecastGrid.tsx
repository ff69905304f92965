import { type PointerEvent, useState } from "react";
import css from "../schedules.module.css";
import { cellText, forecastLevel, forecastSummary, type GridCell } from "./forecast-grid.ts";

interface ForecastGridProps {
  rows: readonly { label: string; cells: readonly GridCell[] }[];
}

const cellPx = { width: 26, height: 18 };
const labelPx = 72;
const headPx = 16;

/** Fires by hour: the darker, the more. The tooltip is that of the cell under the pointer. */
export function ForecastGrid({ rows }: ForecastGridProps) {
  const [pointed, setPointed] = useState<GridCell | null>(null);
  const all = rows.flatMap(({ cells }) => cells);
  const most = Math.max(1, ...all.map(({ fires }) => fires));
  const [width, height] = [labelPx + 24 * cellPx.width, headPx + rows.length * cellPx.height];
  const paths = new Map<number, string>();
  for (const [y, { cells }] of rows.entries()) {
    for (const [x, cell] of cells.entries()) {
      if (cell.times === 0) continue;
      const level = forecastLevel(cell.fires, most);
      const d = `M${labelPx + x * cellPx.width} ${headPx + y * cellPx.height}h24v16h-24z`;
      paths.set(level, (paths.get(level) ?? "") + d);
    }
  }
  const summary = forecastSummary(all);
  const point = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    const row = rows[Math.floor((clientY - top - headPx) / cellPx.height)];
    setPointed(row?.cells[Math.floor((clientX - left - labelPx) / cellPx.width)] ?? null);
  };
  return (
    <svg className={css.forecast} width={width} height={height} role="img" aria-label={summary} onPointerMove={point}>
      <title>{pointed ? cellText(pointed) : summary}</title>
      <rect width={width} height={height} fill="transparent" />
      {(rows[0]?.cells ?? []).map(({ hour, date }, x) =>
        x % 3 === 0 ? (
          <text key={`${date} ${hour}`} x={labelPx + x * cellPx.width} y="11">
            {String(hour).padStart(2, "0")}
          </text>
        ) : null,
      )}
      {rows.map(({ label }, y) => (
        <text key={label} x="0" y={headPx + y * cellPx.height + 12}>
          {label}
        </text>
      ))}
      {[...paths].map(([level, d]) => (
        <path key={level} data-heat={level} d={d} />
      ))}
    </svg>
  );
}
