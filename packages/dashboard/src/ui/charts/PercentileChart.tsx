import { duration } from "../time/format.ts";
import css from "./chart.module.css";
import { decadeText, shortDuration } from "./parts/axis.ts";
import { type Bucket, type Reading, runsOf, spread } from "./parts/marks.ts";
import { logScale } from "./parts/scales.ts";
import { bucketWidth, GridLines, OpenTip, pathOf } from "./parts/strokes.tsx";
import { type Area, type ChartProps, TimeChart } from "./TimeChart.tsx";

export interface Percentiles extends Bucket {
  /** Milliseconds; null where nothing was measured. */
  readonly values: { readonly p50: number; readonly p95: number; readonly p99: number; readonly count: number } | null;
}

interface PercentileChartProps extends ChartProps<Percentiles> {
  onOpen?: ((bucket: Bucket) => void) | undefined;
}

const heightPx = 206;
const plot = { top: 17, bottom: 181 };
const gutters = { left: 52, right: 76 };
/** Highest first, in the order of the lines. */
const lines = ["p99", "p95", "p50"] as const;
type Line = (typeof lines)[number];
const lineClasses = {
  p99: [`${css.line} ${css.p99}`, css.sP99],
  p95: [css.line, css.sP95],
  p50: [`${css.line} ${css.p50}`, css.sP50],
} as const;
/** Durations below a millisecond are not distinguished. */
const leastMs = 1;

/** Three percentiles on a logarithmic scale, labelled at their ends. Lines break where nothing was measured. */
export function PercentileChart({ buckets, ...rest }: PercentileChartProps) {
  const measured = buckets.flatMap(({ values }) => (values ? [values.p50, values.p99] : []));
  const least = measured.length === 0 ? leastMs : Math.max(leastMs, Math.min(...measured));
  const scale = logScale(least, Math.max(least, ...measured));
  const y = (ms: number) => plot.bottom - scale.place(Math.max(leastMs, ms)) * (plot.bottom - plot.top);
  // The running bucket has too little data to place the label, unless it is the only one.
  const whole = rest.isRunning ? buckets.slice(0, -1) : buckets;
  const newest = (whole.findLast(isMeasured) ?? buckets.at(-1))?.values ?? null;
  const read = (index: number): Reading[] => {
    const values = buckets[index]?.values;
    return [
      ...lines.map((line) => ({
        label: line,
        value: values ? duration(values[line]) : "–",
        swatch: lineClasses[line][1],
      })),
      { label: "measured", value: String(values?.count ?? 0) },
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
          {measured.length === 0 ? null : <GridLines ticks={scale.decades} area={area} y={y} text={decadeText} />}
          {lines.map((line) => (
            <Trace key={line} line={line} buckets={buckets} area={area} y={y} isRunning={rest.isRunning} />
          ))}
          {newest ? <Ends newest={newest} area={area} y={y} /> : null}
        </>
      )}
    />
  );
}

export const isMeasured = ({ values }: Percentiles): boolean => values !== null;

interface TraceProps {
  line: Line;
  buckets: readonly Percentiles[];
  area: Area;
  y: (ms: number) => number;
  isRunning: boolean;
}

function Trace({ line, buckets, area, y, isRunning }: TraceProps) {
  const point = (at: number) => {
    const bucket = buckets[at];
    if (!bucket?.values) return null;
    return { x: area.x((bucket.fromMs + bucket.toMs) / 2), y: y(bucket.values[line]) };
  };
  const bucketPx = bucketWidth(area, buckets);
  const whole = isRunning ? buckets.slice(0, -1) : buckets;
  const runs = runsOf(whole.map(({ values }) => values?.[line] ?? null));
  const path = runs
    .map(
      (run) =>
        `M${pathOf(
          run.map((at) => point(at)).filter((one) => one !== null),
          bucketPx,
        )}`,
    )
    .join("");
  const last = isRunning ? point(buckets.length - 1) : null;
  return (
    <>
      <path className={lineClasses[line][0]} d={path} />
      <OpenTip at={last} before={point(buckets.length - 2)} bucketPx={bucketPx} />
    </>
  );
}

function Ends({
  newest,
  area,
  y,
}: {
  newest: NonNullable<Percentiles["values"]>;
  area: Area;
  y: (ms: number) => number;
}) {
  const heights = spread(
    lines.map((line) => y(newest[line])),
    13,
    { least: plot.top + 4, most: plot.bottom },
  );
  return lines.map((line, at) => (
    <text key={line} className={css.end} x={area.right + 6} y={(heights[at] ?? 0) + 4}>
      {`${line} ${shortDuration(newest[line])}`}
    </text>
  ));
}
