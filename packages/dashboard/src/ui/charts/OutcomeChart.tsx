import { count } from "../time/format.ts";
import css from "./chart.module.css";
import { Bar, barSpan, scaled } from "./parts/bars.tsx";
import type { Bucket, Reading } from "./parts/marks.ts";
import { countTicks, maximumLines } from "./parts/scales.ts";
import { GridLines } from "./parts/strokes.tsx";
import { type Area, type ChartProps, TimeChart } from "./TimeChart.tsx";

/** The number of finished tasks by outcome, and of retries, in a bucket. */
export interface Outcomes extends Bucket {
  readonly success: number;
  readonly failure: number;
  readonly retry: number;
  readonly revoked: number;
  readonly rejected: number;
}

interface OutcomeChartProps extends ChartProps<Outcomes> {
  /** Called when a bucket is opened; with `failure` in the strip of failures. */
  onOpen?: ((bucket: Bucket, state?: "failure") => void) | undefined;
}

const heightPx = 206;
const top = { from: 16, to: 140 };
const strip = { from: 160, to: 181 };
const gutters = { left: 44, right: 4 };

// From the base line upwards. Failures are not included; they have a separate scale.
const layers = ["success", "retry", "revoked", "rejected"] as const;
const layerClasses = {
  success: [css.success, css.sSuccess],
  retry: [css.retry, css.sRetry],
  revoked: [css.other, css.sOther],
  rejected: [css.other, css.sOther],
  failure: [css.failure, css.sFailure],
} as const;

/** Bars stacked by outcome, with failures below on a separate scale, so that a few of them are visible. */
export function OutcomeChart({ buckets, onOpen, ...rest }: OutcomeChartProps) {
  const stackOf = (bucket: Outcomes) => layers.reduce((sum, layer) => sum + bucket[layer], 0);
  const most = Math.max(1, ...buckets.map(stackOf));
  const mostFailed = Math.max(1, ...buckets.map((bucket) => bucket.failure));
  const shown = shownLayers(buckets);
  const read = (index: number): Reading[] => {
    const bucket = buckets[index];
    if (!bucket) return [];
    return [...shown.toReversed(), "failure" as const].map((outcome) => ({
      label: outcome,
      value: count(bucket[outcome]),
      swatch: layerClasses[outcome][1],
    }));
  };

  return (
    <TimeChart
      {...rest}
      buckets={buckets}
      height={heightPx}
      gutters={gutters}
      plot={{ top: top.from, bottom: strip.to }}
      read={read}
      onOpen={onOpen && ((bucket, y) => (y !== null && y > top.to ? onOpen(bucket, "failure") : onOpen(bucket)))}
      paint={(area) => (
        <>
          {/* One grid line less than usual: the strip has its own base line. */}
          <GridLines ticks={countTicks(most, maximumLines - 1)} area={area} y={heightIn(top, most)} text={count} />
          <GridLines
            ticks={[0, mostFailed]}
            area={area}
            y={heightIn(strip, mostFailed)}
            text={count}
            bare={(tick) => tick > 0}
          />
          {buckets.map((bucket, at) => {
            const isHollow = rest.isRunning && at === buckets.length - 1;
            return (
              <g key={bucket.fromMs}>
                <Stack bucket={bucket} area={area} most={most} isHollow={isHollow} />
                <Bar
                  span={barSpan(area, bucket)}
                  y={strip.to}
                  height={scaled(bucket.failure, mostFailed, strip)}
                  className={css.failure}
                  isHollow={isHollow}
                />
              </g>
            );
          })}
          <text className={css.on} x={area.left + 2} y={strip.from - 5}>
            failures, own scale
          </text>
        </>
      )}
    />
  );
}

/** The legend of the stacked layers. */
export function OutcomeKey({ buckets }: { buckets: readonly Outcomes[] }) {
  return (
    <span className={`${css.key} lg`}>
      {shownLayers(buckets).map((layer) => (
        <span key={layer}>
          <i className={layerClasses[layer][1]} />
          {layer}
        </span>
      ))}
    </span>
  );
}

/** Most projects never revoke or reject a task. */
function shownLayers(buckets: readonly Outcomes[]) {
  return layers.filter(
    (layer) => layer === "success" || layer === "retry" || buckets.some((bucket) => bucket[layer] > 0),
  );
}

function heightIn(ends: { from: number; to: number }, most: number): (value: number) => number {
  return (value) => ends.to - (value / most) * (ends.to - ends.from);
}

function Stack({ bucket, area, most, isHollow }: { bucket: Outcomes; area: Area; most: number; isHollow: boolean }) {
  const span = barSpan(area, bucket);
  let y = top.to;
  return layers.map((layer) => {
    const height = scaled(bucket[layer], most, top);
    const bar = (
      <Bar key={layer} span={span} y={y} height={height} className={layerClasses[layer][0]} isHollow={isHollow} />
    );
    y -= height;
    return bar;
  });
}
