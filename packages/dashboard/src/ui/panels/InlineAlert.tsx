import type { ReactNode } from "react";
import controls from "../controls.module.css";

/** An error message of a form that belongs to no single field. */
export function InlineAlert({ children }: { children: ReactNode }) {
  return (
    <p className={controls.err} role="alert" data-alert="" tabIndex={-1}>
      {children}
    </p>
  );
}
