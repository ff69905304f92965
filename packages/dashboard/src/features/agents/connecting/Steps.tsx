import css from "../agents.module.css";

/** A few steps do not fill the picture; the newest stand at its right end. */
const fewestBars = 40;

/** One small bar per step, from 0 to the greatest of them. `label` says what the picture shows. */
export function Steps({ steps, label, isWrong }: { steps: readonly number[]; label: string; isWrong: boolean }) {
  const most = Math.max(1, ...steps);
  const bars = Math.max(fewestBars, steps.length);
  const width = 100 / bars;
  const before = bars - steps.length;
  return (
    <svg className={css.spark} width="100%" height="32" role="img" data-wrong={isWrong} aria-label={label}>
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
