import type { ReactNode } from "react";
import css from "./facts.module.css";

export interface FactOf {
  /** With its window: `Failed, last hour`. */
  label: string;
  /** The definition of the figure. */
  title?: string;
  value: ReactNode;
  note?: ReactNode;
  isBad?: boolean;
}

/** A strip of figures at the top of a page, each with its time window in the label. */
export function Facts({ facts }: { facts: readonly FactOf[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(({ label, title, value, note, isBad }) => (
        <div key={label}>
          <dt title={title}>{label}</dt>
          <dd>
            <span className={isBad ? `${css.value} ${css.wrong}` : css.value}>{value}</span>
            {note === undefined || note === null ? null : <span className={css.note}>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
