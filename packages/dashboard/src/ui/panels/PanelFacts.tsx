import type { ReactNode } from "react";
import { PanelFrame } from "./PanelFrame.tsx";
import panel from "./panel.module.css";

/** The details of an object, as a list. */
export function About({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <PanelFrame title="Details">
      <FactList facts={facts} />
    </PanelFrame>
  );
}

/** A list of names and values. */
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
