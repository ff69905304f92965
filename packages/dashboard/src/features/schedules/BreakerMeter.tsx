import css from "./schedules.module.css";

interface BreakerMeterProps {
  /** Null if the request that returned the schedule did not count them. */
  failures: number | null | undefined;
  /** Failed fires in a row that disable the schedule; 0 turns that off, undefined until loaded. */
  threshold: number | undefined;
}

/** The scale has at most this many boxes; larger thresholds are shown in numbers only. */
const mostBoxes = 10;
const boxPx = 9.5;

/** The failed fires in a row, of those that disable the schedule: `3/5`. */
export function BreakerMeter({ failures, threshold }: BreakerMeterProps) {
  if (failures === null || failures === undefined) return <span className="t3">–</span>;
  if (threshold === undefined) return failures;
  if (threshold === 0) return <span className="t3">{failures > 0 ? `${failures}, off` : "off"}</span>;
  const level = failures >= threshold ? "full" : failures > 0 ? "near" : undefined;
  return (
    <span className={css.meter} data-level={level} title={`Disabled after ${threshold} failed fires in a row`}>
      {threshold > mostBoxes ? null : (
        <svg width={threshold * boxPx} height="10" aria-hidden="true">
          {Array.from({ length: threshold }, (_, at) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a position on a scale
              key={at}
              data-on={at < failures}
              x={at * boxPx + 0.5}
              y="0.5"
              width="7"
              height="9"
              rx="1"
            />
          ))}
        </svg>
      )}
      {failures}/{threshold}
      <span className="vh">failed fires in a row</span>
    </span>
  );
}
