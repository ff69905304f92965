import type { ReactNode } from "react";
import css from "./environment.module.css";
import { printable } from "./time/format.ts";

/** The environment of a project. Production has its own colour. */
export function EnvironmentTag({ environment, children }: { environment: string | undefined; children?: ReactNode }) {
  return (
    <span className={css.env} data-env={environment}>
      {printable(environment ?? "")}
      {children}
    </span>
  );
}
