import { type ReactNode, useId } from "react";
import panel from "./panel.module.css";

interface PanelFrameProps {
  /** The anchor of links to it. */
  id?: string;
  title: ReactNode;
  /** A note next to the title, such as scope or source. */
  note?: ReactNode;
  /** Links and buttons on the right of the header. */
  actions?: ReactNode;
  className?: string | undefined;
  children?: ReactNode;
}

/** The frame of a part of a page. `Panel` adds loading and error states. */
export function PanelFrame({ id, title, note, actions, className, children }: PanelFrameProps) {
  const titleId = useId();
  return (
    <section className={className ? `${panel.panel} ${className}` : panel.panel} id={id} aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{title}</h2>
        {note === undefined ? null : <span className="t3">{note}</span>}
        {actions === undefined ? null : (
          <>
            <span className="grow" />
            {actions}
          </>
        )}
      </header>
      {children}
    </section>
  );
}
