import css from "../agents.module.css";

/** With fewer steps the bars are aligned to the right. */
const minimumBars = 40;

/** One small bar per step, scaled to the greatest. `label` describes the picture. */
export function Steps({ steps, label, isBad }: { steps: readonly number[]; label: string; isBad: boolean }) {
  const most = Math.max(1, ...steps);
  const bars = Math.max(minimumBars, steps.length);
  const width = 100 / bars;
  const before = bars - steps.length;
  return (
    <svg className={css.spark} width="100%" height="32" role="img" data-wrong={isBad} aria-label={label}>
      <line x1="0" x2="100%" y1="31.5" y2="31.5" />
      {steps.map((step, at) =>
        step === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a position in a fixed strip
            key={at}
            x={`${(before + at) * width}%`}
            width={`${width * 0.8}%`}
            y={31 - Math.max(1, (step / most) * 29)}
            height={Math.max(1, (step / most) * 29)}
          />
        ),
      )}
    </svg>
  );
}
