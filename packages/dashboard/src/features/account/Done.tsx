import type { ReactNode } from "react";
import { Glyph } from "../../ui/Icon.tsx";
import css from "./account.module.css";

/** A success message. The live region is always present, so that screen readers announce the text when it appears. */
export function Done({ children }: { children: ReactNode }) {
  return (
    <p className={css.done} role="status">
      {children ? <Glyph name="success" /> : null}
      {children}
    </p>
  );
}
