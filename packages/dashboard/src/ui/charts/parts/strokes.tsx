import css from "../chart.module.css";
import type { Area } from "../TimeChart.tsx";

interface GridLinesProps {
  ticks: readonly number[];
  area: Area;
  y: (value: number) => number;
  text: (tick: number) => string;
  /** Ticks that have a label and no line. */
  bare?: (tick: number) => boolean;
}

/** The values of an axis: a line across the plot and a label left of it. */
export function GridLines({ ticks, area, y, text, bare }: GridLinesProps) {
  return ticks.map((tick) => {
    const at = Math.round(y(tick)) + 0.5;
    return (
      <g key={tick}>
        {bare?.(tick) ? null : <line className={css.grid} x1={area.left} x2={area.right} y1={at} y2={at} />}
        <text x={area.left - 6} y={at + 3.5} textAnchor="end">
          {text(tick)}
        </text>
      </g>
    );
  });
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points as the data of a path, without its first letter. */
export function pathOf(points: readonly Point[]): string {
  const drawn = points.map((point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`);
  // A lone value is a point: a line of no length, with round ends.
  return drawn.length === 1 ? `${drawn[0]}L${drawn[0]}` : drawn.join("L");
}

/** The value of a bucket that still runs: too little decides it to be a part of the line. */
export function OpenTip({ at, look }: { at: Point | null; look?: string | undefined }) {
  return at === null ? null : (
    <circle className={look ? `${css.tipOpen} ${look}` : css.tipOpen} cx={at.x} cy={at.y} r="2.5" />
  );
}
