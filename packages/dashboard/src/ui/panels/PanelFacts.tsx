import type { ReactNode } from "react";
import { PanelFrame } from "./PanelFrame.tsx";
import panel from "./panel.module.css";

/** What is known of one thing, a line each. */
export function About({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <PanelFrame title="About it">
      <FactList facts={facts} />
    </PanelFrame>
  );
}

/** Names and values, a line each. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={panel.kv}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
