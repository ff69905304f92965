import type { AgentStatusSample } from "@svc/client";
import { count } from "../../ui/format.ts";
import panel from "../../ui/panel.module.css";
import css from "./agents.module.css";
import { lossKinds, lossNow, lossReasons, lossSeries } from "./loss.ts";

/** What the agent had to discard, by kind; the two reasons stand apart because they count the same things again. */
export function LossPanel({ samples }: { samples: AgentStatusSample[] }) {
  if (samples.length === 0) return null;
  return (
    <section className={panel.panel} aria-labelledby="h-loss">
      <header>
        <h2 id="h-loss">Lost before sending</h2>
        <span className="t3">since the buffer was made; bars: last {samples.length} samples</span>
      </header>
      <dl className={css.multiples}>
        {lossKinds.map(([counter, label]) => (
          <div key={counter}>
            <dt>{label}</dt>
            <dd>
              <b>{count(lossNow(samples, counter))}</b>
              <Steps label={label} steps={lossSeries(samples, counter).steps} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={panel.foot}>
        Reasons, counted over the same losses:{" "}
        {lossReasons.map(([counter, label]) => `${label.toLowerCase()} ${count(lossNow(samples, counter))}`).join(", ")}
        .
      </p>
    </section>
  );
}

function Steps({ label, steps }: { label: string; steps: number[] }) {
  const most = Math.max(1, ...steps);
  const lost = steps.reduce((sum, step) => sum + step, 0);
  const width = 100 / Math.max(1, steps.length);
  return (
    <svg
      className={css.spark}
      width="100%"
      height="32"
      role="img"
      data-wrong={lost > 0}
      aria-label={lost === 0 ? `${label}: nothing lost in these samples` : `${label}: ${lost} lost in these samples`}
    >
      <line x1="0" x2="100%" y1="31.5" y2="31.5" />
      {steps.map((step, at) =>
        step === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a position in a fixed strip
            key={at}
            x={`${at * width}%`}
            width={`${width * 0.8}%`}
            y={31 - (step / most) * 29}
            height={(step / most) * 29}
          />
        ),
      )}
    </svg>
  );
}
