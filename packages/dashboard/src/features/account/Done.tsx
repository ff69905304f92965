import type { ReactNode } from "react";
import { Glyph } from "../../ui/Icon.tsx";
import css from "./account.module.css";

/** That something is done, read out when it turns up; there from the beginning, so that it is. */
export function Done({ children }: { children: ReactNode }) {
  return (
    <p className={css.done} role="status">
      {children ? <Glyph name="success" /> : null}
      {children}
    </p>
  );
}
