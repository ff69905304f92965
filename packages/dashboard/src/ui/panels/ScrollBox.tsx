import type { ReactNode } from "react";
import panel from "./panel.module.css";

/** Holds something that may be wider than its place. It can be scrolled by keyboard, so it is a region with a name. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={panel.scroll} aria-label={`Table: ${label}`} tabIndex={0}>
      {children}
    </section>
  );
}
