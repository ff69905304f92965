import { count } from "../time/format.ts";
import css from "./chart.module.css";
import { Bar, barSpan, scaled } from "./parts/bars.tsx";
import { type Bucket, type Reading, runsOf } from "./parts/marks.ts";
import { countTicks } from "./parts/scales.ts";
import { bucketWidth, GridLines, OpenTip, pathOf } from "./parts/strokes.tsx";
import { type Area, type ChartProps, TimeChart } from "./TimeChart.tsx";

export interface Amount extends Bucket {
  /** Null where nothing was reported. */
  readonly value: number | null;
  /** More values of the bucket. */
  readonly notes?: readonly Reading[];
}

interface AmountChartProps extends ChartProps<Amount> {
  /** The name of the values, for the tooltip and the table. */
  valueName: string;
  /** Draws bars in this outcome's colour, for counts per bucket; otherwise a line, for measurements. */
  bars?: "failure";
}

const heightPx = 160;
const plot = { top: 12, bottom: 135 };
const gutters = { left: 48, right: 8 };

/** One amount over time, from 0; lines break where nothing was reported. */
export function AmountChart({ buckets, valueName, bars, ...rest }: AmountChartProps) {
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
          {bars === undefined ? (
            <Line buckets={buckets} area={area} y={y} isRunning={rest.isRunning} />
          ) : (
            buckets.map((bucket, at) => (
              <Bar
                key={bucket.fromMs}
                span={barSpan(area, bucket)}
                y={plot.bottom}
                height={scaled(bucket.value ?? 0, most, { from: plot.top, to: plot.bottom })}
                className={css[bars]}
                isHollow={rest.isRunning && at === buckets.length - 1}
              />
            ))
          )}
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
  const bucketPx = bucketWidth(area, buckets);
  const whole = isRunning ? buckets.slice(0, -1) : buckets;
  const runs = runsOf(whole.map((bucket) => bucket.value));
  return (
    <>
      {runs.map((run) => {
        const points = run.map((at) => point(at)).filter((one) => one !== null);
        const [first] = points;
        const last = points.at(-1);
        if (first === undefined || last === undefined) return null;
        const lonePx = points.length === 1 ? bucketPx / 2 : 0;
        const path = pathOf(points, bucketPx);
        return (
          <g key={run[0]}>
            <path
              className={css.ground}
              d={`M${(first.x - lonePx).toFixed(1)} ${plot.bottom}L${path}L${(last.x + lonePx).toFixed(1)} ${plot.bottom}Z`}
            />
            <path className={`${css.line} ${css.amount}`} d={`M${path}`} />
          </g>
        );
      })}
      <OpenTip
        at={isRunning ? point(buckets.length - 1) : null}
        before={point(buckets.length - 2)}
        bucketPx={bucketPx}
        className={css.amount}
      />
    </>
  );
}
