import { type PointerEvent, useState } from "react";
import { useZone } from "../../../ui/time/instants.ts";
import css from "../schedules.module.css";
import { type Cell, cellPx, cellText, stripPaths, stripPx, stripSummary } from "./strip-cells.ts";

/** The last fires of a schedule as bars, and missed slots as hollow ones. The tooltip is that of the bar under the pointer. */
export function FireStrip({ cells, width = 20 * cellPx }: { cells: readonly Cell[]; width?: number }) {
  const { zone } = useZone();
  const [at, setAt] = useState(-1);
  const summary = stripSummary(cells);
  const { bars, marks } = stripPaths(cells);
  // The newest bar is at the right edge.
  const startPx = width - cells.length * cellPx;
  const pointed = cells[at];
  const point = ({ currentTarget, clientX }: PointerEvent) =>
    setAt(Math.floor((clientX - currentTarget.getBoundingClientRect().left - startPx) / cellPx));
  return (
    <svg className={css.strip} width={width} height={stripPx} role="img" aria-label={summary} onPointerMove={point}>
      <title>{pointed ? cellText(pointed, zone) : summary}</title>
      <rect width={width} height={stripPx} fill="transparent" />
      <g transform={`translate(${startPx})`}>
        {bars.map(({ tone, d }) => (
          <path key={tone} data-tone={tone} d={d} />
        ))}
        {marks.map(({ tone, d }) => (
          <path key={tone} data-mark={tone} d={d} />
        ))}
      </g>
      <path data-mark="base" d={`M0 ${stripPx - 1.5}h${width}`} />
    </svg>
  );
}
