import { type ReactNode, useId } from "react";
import panel from "./panel.module.css";

interface PanelFrameProps {
  /** What an address or a tab leads to. */
  id?: string;
  title: ReactNode;
  /** What the content covers or where it is from, beside the title. */
  note?: ReactNode;
  /** Links and buttons at the right end of the head. */
  actions?: ReactNode;
  className?: string | undefined;
  children?: ReactNode;
}

/** The frame of a part of a page, whatever it holds. A `Panel` has one too, and takes care of a read. */
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
