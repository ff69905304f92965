import type { ReactNode } from "react";
import controls from "../controls.module.css";

/** Why something was not done, where it is not the fault of one field. */
export function InlineAlert({ children }: { children: ReactNode }) {
  return (
    <p className={controls.err} role="alert" data-alert="" tabIndex={-1}>
      {children}
    </p>
  );
}
