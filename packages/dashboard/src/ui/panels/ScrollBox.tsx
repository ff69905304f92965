import type { ReactNode } from "react";
import panel from "./panel.module.css";

/** A container for wide content. It can be scrolled by keyboard, so it is a named region. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={panel.scroll} aria-label={`Table: ${label}`} tabIndex={0}>
      {children}
    </section>
  );
}
