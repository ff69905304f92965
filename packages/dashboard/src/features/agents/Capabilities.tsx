import type { Agent } from "@svc/client";
import controls from "../../ui/controls.module.css";
import { printable } from "../../ui/time/format.ts";
import css from "./agents.module.css";
import { capabilitiesOf, versionSkew } from "./words.ts";

/** What an agent reported that it can do, as chips. */
export function Capabilities({ agent, most }: { agent: Agent; most?: number }) {
  const engines = capabilitiesOf(agent);
  if (engines.length === 0) return <span className="t3">not reported</span>;
  const chips = engines.flatMap(({ engine, words }) =>
    words.length === 0
      ? [{ key: engine, text: `${printable(engine)}: none` }]
      : words.map((word) => chipOf(engine, word)),
  );
  const isMixed = engines.length > 1;
  const shown = most === undefined ? chips : chips.slice(0, most);
  const left = chips.slice(shown.length);
  return (
    <span className={css.caps}>
      {shown.map(({ key, text }) => (
        <span key={key} className={controls.tag} title={key}>
          {isMixed && most === undefined ? key : text}
        </span>
      ))}
      {left.length > 0 ? (
        <span className="t3" title={left.map(({ key }) => key).join(", ")}>
          and {left.length} more
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
    <span className={`${controls.tag} ${css.skew}`} data-wrong={skew.isWrong} title={skew.means}>
      {skew.word}
    </span>
  );
}
