import type { Agent } from "@svc/client";
import controls from "../../ui/controls.module.css";
import { printable } from "../../ui/time/format.ts";
import css from "./agents.module.css";
import { capabilitiesOf, versionSkew } from "./labels.ts";

/** The capabilities that an agent reported, as chips. */
export function Capabilities({ agent, maximum }: { agent: Agent; maximum?: number }) {
  const engines = capabilitiesOf(agent);
  if (engines.length === 0) return <span className="t3">not reported</span>;
  const chips = engines.flatMap(({ engine, labels }) =>
    labels.length === 0
      ? [{ key: engine, text: `${printable(engine)}: none` }]
      : labels.map((label) => chipOf(engine, label)),
  );
  const isMixed = engines.length > 1;
  const shown = maximum === undefined ? chips : chips.slice(0, maximum);
  const hidden = chips.slice(shown.length);
  return (
    <span className={css.caps}>
      {shown.map(({ key, text }) => (
        <span key={key} className={controls.tag} title={key}>
          {isMixed && maximum === undefined ? key : text}
        </span>
      ))}
      {hidden.length > 0 ? (
        <span className="t3" title={hidden.map(({ key }) => key).join(", ")}>
          and {hidden.length} more
        </span>
      ) : null}
    </span>
  );
}

const chipOf = (engine: string, word: string) => ({ key: `${printable(engine)} ${word}`, text: word });

/** The tag of a version that needs attention. */
export function SkewTag({ agent }: { agent: Agent }) {
  const skew = versionSkew(agent);
  if (skew === null) return null;
  return (
    <span className={`${controls.tag} ${css.skew}`} data-wrong={skew.isBad} title={skew.means}>
      {skew.word}
    </span>
  );
}
