import { count } from "../format.ts";
import css from "./chart.module.css";
import { type Band, type Bucket, type Reading, runsOf } from "./marks.ts";
import { countTicks } from "./scales.ts";
import { type Area, TimeChart } from "./TimeChart.tsx";

export interface Amount extends Bucket {
  /** Null where nothing was reported. */
  readonly value: number | null;
  /** What else is told of the bucket. */
  readonly notes?: readonly Reading[];
}

interface LineChartProps {
  name: string;
  summary: string;
  /** What the values are, for the read-out and the table. */
  valueName: string;
  buckets: readonly Amount[];
  isRunning: boolean;
  bands?: readonly Band[];
  isTable: boolean;
  onRange?: ((fromMs: number, toMs: number) => void) | undefined;
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
          {countTicks(most).map((tick) => {
            const at = Math.round(y(tick)) + 0.5;
            return (
              <g key={tick}>
                <line className={css.grid} x1={area.left} x2={area.right} y1={at} y2={at} />
                <text x={area.left - 6} y={at + 3.5} textAnchor="end">
                  {count(tick)}
                </text>
              </g>
            );
          })}
          <Line buckets={buckets} area={area} y={y} />
        </>
      )}
    />
  );
}

function Line({ buckets, area, y }: { buckets: readonly Amount[]; area: Area; y: (value: number) => number }) {
  return runsOf(buckets.map((bucket) => bucket.value)).map((run) => {
    const points = run.flatMap((at) => {
      const bucket = buckets[at];
      if (bucket === undefined) return [];
      return [{ x: area.x((bucket.fromMs + bucket.toMs) / 2), y: y(bucket.value ?? 0) }];
    });
    const [first] = points;
    const last = points.at(-1);
    if (first === undefined || last === undefined) return null;
    const path = points.map((point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("L");
    return (
      <g key={run[0]}>
        <path
          className={css.ground}
          d={`M${first.x.toFixed(1)} ${plot.bottom}L${path}L${last.x.toFixed(1)} ${plot.bottom}Z`}
        />
        {/* A lone value is a point: a line of no length, with round ends. */}
        <path className={`${css.line} ${css.amount}`} d={`M${points.length === 1 ? `${path}L${path}` : path}`} />
      </g>
    );
  });
}
