import css from "./spark-bars.module.css";

interface SparkBarsProps {
  /** Oldest first; null where unknown. */
  values: readonly (number | null)[];
  /** A text alternative of the chart. */
  label: string;
  width?: number;
  height?: number;
  tone?: "failure" | "success" | "other";
  /** Whether the last bucket is still running. */
  isRunning?: boolean;
}

/** Small bars on a base line; the last one is hollow while its bucket is running. */
export function SparkBars({
  values,
  label,
  width = 88,
  height = 18,
  tone = "other",
  isRunning = false,
}: SparkBarsProps) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const room = width / Math.max(1, values.length);
  const barWidth = Math.max(1, room * 0.75);
  return (
    <svg className={css.bars} data-tone={tone} width={width} height={height} role="img" aria-label={label}>
      {values.map((value, at) => {
        if (!value) return null;
        const tall = Math.max(1.5, (value / most) * (height - 1.5));
        const isHollow = isRunning && at === values.length - 1;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a position in a fixed strip
            key={at}
            className={isHollow ? css.hollow : undefined}
            x={at * room + (isHollow ? 0.5 : 0)}
            width={isHollow ? Math.max(0.5, barWidth - 1) : barWidth}
            y={height - 1 - tall + (isHollow ? 0.5 : 0)}
            height={isHollow ? Math.max(0.5, tall - 1) : tall}
          />
        );
      })}
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
    </svg>
  );
}
