import css from "../chart.module.css";
import type { Area } from "../TimeChart.tsx";
import type { Bucket } from "./marks.ts";

interface GridLinesProps {
  ticks: readonly number[];
  area: Area;
  y: (value: number) => number;
  text: (tick: number) => string;
  /** Ticks with a label but no line. */
  bare?: (tick: number) => boolean;
}

/** Grid lines across the plot, with labels on the left. */
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

/** The width of a bucket in pixels. */
export const bucketWidth = ({ x }: Area, [first]: readonly Bucket[]): number =>
  first === undefined ? 0 : x(first.toMs) - x(first.fromMs);

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points as path data, without the first command. A single value is a line as wide as its bucket. */
export function pathOf(points: readonly Point[], bucketPx: number): string {
  const [first] = points;
  const ends =
    first && points.length === 1
      ? [first.x - bucketPx / 2, first.x + bucketPx / 2].map((x) => ({ x, y: first.y }))
      : points;
  return ends.map((point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("L");
}

interface OpenTipProps {
  at: Point | null;
  /** The previous bucket's point; null without a measurement. */
  before: Point | null;
  bucketPx: number;
  className?: string | undefined;
}

/** The value of a running bucket may change: a dashed line leads to a hollow point. */
export function OpenTip({ at, before, bucketPx, className = "" }: OpenTipProps) {
  if (at === null) return null;
  return (
    <>
      <path
        className={`${css.toOpen} ${className}`}
        d={`M${pathOf(before === null ? [at] : [before, at], bucketPx)}`}
      />
      <circle className={`${css.tipOpen} ${className}`} cx={at.x} cy={at.y} r="2.5" />
    </>
  );
}
