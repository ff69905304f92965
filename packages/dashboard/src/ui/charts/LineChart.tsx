import { count } from "../time/format.ts";
import css from "./chart.module.css";
import { type Bucket, type Reading, runsOf } from "./parts/marks.ts";
import { countTicks } from "./parts/scales.ts";
import { GridLines, OpenTip, pathOf } from "./parts/strokes.tsx";
import { type Area, type ChartProps, TimeChart } from "./TimeChart.tsx";

export interface Amount extends Bucket {
  /** Null where nothing was reported. */
  readonly value: number | null;
  /** What else is told of the bucket. */
  readonly notes?: readonly Reading[];
}

interface LineChartProps extends ChartProps<Amount> {
  /** What the values are, for the read-out and the table. */
  valueName: string;
}

const heightPx = 160;
const plot = { top: 12, bottom: 135 };
const gutters = { left: 48, right: 8 };

/** One amount over time, from 0; the line breaks where nothing was reported. */
export function LineChart({ buckets, valueName, ...rest }: LineChartProps) {
  const most = Math.max(1, ...buckets.map((bucket) => bucket.value ?? 0));
  const y = (value: number) => plot.bottom - (value / most) * (plot.bottom - plot.top);
  const read = (index: number): Reading[] => {
    const bucket = buckets[index];
    return bucket === undefined
      ? []
      : [
          { label: valueName, value: bucket.value === null ? "not reported" : count(bucket.value) },
          ...(bucket.notes ?? []),
        ];
  };
  return (
    <TimeChart
      {...rest}
      buckets={buckets}
      height={heightPx}
      gutters={gutters}
      plot={plot}
      read={read}
      paint={(area) => (
        <>
          <GridLines ticks={countTicks(most)} area={area} y={y} text={count} />
          <Line buckets={buckets} area={area} y={y} isRunning={rest.isRunning} />
        </>
      )}
    />
  );
}

interface LineProps {
  buckets: readonly Amount[];
  area: Area;
  y: (value: number) => number;
  isRunning: boolean;
}

function Line({ buckets, area, y, isRunning }: LineProps) {
  const point = (at: number) => {
    const bucket = buckets[at];
    if (bucket === undefined || bucket.value === null) return null;
    return { x: area.x((bucket.fromMs + bucket.toMs) / 2), y: y(bucket.value) };
  };
  // What is told of a bucket that still runs may change: a hollow point of its own, and no part of the line.
  const whole = isRunning ? buckets.slice(0, -1) : buckets;
  const runs = runsOf(whole.map((bucket) => bucket.value));
  return (
    <>
      {runs.map((run) => {
        const points = run.map((at) => point(at)).filter((one) => one !== null);
        const [first] = points;
        const last = points.at(-1);
        if (first === undefined || last === undefined) return null;
        const path = pathOf(points);
        return (
          <g key={run[0]}>
            <path
              className={css.ground}
              d={`M${first.x.toFixed(1)} ${plot.bottom}L${path}L${last.x.toFixed(1)} ${plot.bottom}Z`}
            />
            <path className={`${css.line} ${css.amount}`} d={`M${path}`} />
          </g>
        );
      })}
      <OpenTip at={isRunning ? point(buckets.length - 1) : null} look={css.amount} />
    </>
  );
}
