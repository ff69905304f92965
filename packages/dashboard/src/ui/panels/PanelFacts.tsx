import type { ReactNode } from "react";
import panel from "./panel.module.css";

/** What is known of one thing, a line each. */
export function About({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <section className={panel.panel} aria-labelledby="h-about">
      <header>
        <h2 id="h-about">About it</h2>
      </header>
      <FactList facts={facts} />
    </section>
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
