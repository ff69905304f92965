import css from "../schedules.module.css";
import { cellPx, type StripTone, stripPaths, stripPx } from "./strip-cells.ts";

const entries: readonly [label: string, status: string | null][] = [
  ["done", "acked_success"],
  ["failed", "acked_failed"],
  ["in flight", "delivered"],
  ["waiting for an agent", "buffered"],
  ["dropped, changed", "buffer_stale"],
  ["dropped, expired", "buffer_expired"],
  ["skipped", "operator_skipped"],
  ["missed", null],
];

const sampleOf = (status: string | null) =>
  stripPaths([{ slotMs: 0, fire: status === null ? null : { fire_id: "", status, scheduled_for: "", fired_at: "" } }]);

/** The meaning of the bars. */
export function StripLegend() {
  return (
    <p className={`${css.legend} lg`}>
      {entries.map(([label, status]) => {
        const { bars, marks } = sampleOf(status);
        return (
          <span key={label}>
            <svg className={css.strip} width={cellPx} height={stripPx} aria-hidden="true">
              {bars.map(({ tone, d }) => (
                <path key={tone} data-tone={tone} d={d} />
              ))}
              {marks.map(({ tone, d }) => (
                <path key={tone satisfies StripTone} data-mark={tone} d={d} />
              ))}
            </svg>
            {label}
          </span>
        );
      })}
      <span>Height: time from sending to result.</span>
    </p>
  );
}
