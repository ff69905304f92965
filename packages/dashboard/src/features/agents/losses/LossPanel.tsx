import { type AgentStatusSample, plural } from "@svc/client";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { count, printable } from "../../../ui/time/format.ts";
import css from "../agents.module.css";
import { Steps } from "../connecting/Steps.tsx";
import { adapterLosses, lossKinds, lossNow, lossReasons, lossSeries } from "./loss.ts";

/** What the agent discarded, by kind and by reason. Both count the same losses. */
export function LossPanel({ samples }: { samples: AgentStatusSample[] }) {
  if (samples.length === 0) return null;
  const adapters = adapterLosses(samples);
  return (
    <PanelFrame
      title="Lost before sending"
      note={`since the buffer was created, bars: last ${plural(samples.length, "sample")}`}
    >
      <dl className={css.multiples}>
        {lossKinds.map(([counter, label]) => (
          <Multiple key={counter} samples={samples} counter={counter} label={label} />
        ))}
      </dl>
      <h3 className={css.apart}>The same losses by reason</h3>
      <dl className={css.multiples}>
        {lossReasons.map(([counter, label]) => (
          <Multiple key={counter} samples={samples} counter={counter} label={label} />
        ))}
      </dl>
      {adapters.length > 0 ? (
        <p className={panel.foot}>
          Lost before reaching the buffer:{" "}
          {adapters.map(({ adapter, events }) => `${printable(adapter)} ${plural(events, "event")}`).join(", ")}.
        </p>
      ) : null}
    </PanelFrame>
  );
}

interface MultipleProps {
  samples: AgentStatusSample[];
  counter: Parameters<typeof lossSeries>[1];
  label: string;
}

function Multiple({ samples, counter, label }: MultipleProps) {
  const { steps, total } = lossSeries(samples, counter);
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <b>{count(lossNow(samples, counter))}</b>
        <Steps
          steps={steps}
          isBad={total > 0}
          label={total === 0 ? `${label}: none in these samples` : `${label}: ${count(total)} in these samples`}
        />
      </dd>
    </div>
  );
}
