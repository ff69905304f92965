import type { ReactNode } from "react";
import css from "./environment.module.css";
import { printable } from "./time/format.ts";

/** The environment of a project; production has a colour of its own, in the list of projects and over what changes something in it. */
export function EnvironmentTag({ environment, children }: { environment: string | undefined; children?: ReactNode }) {
  return (
    <span className={css.env} data-env={environment}>
      {printable(environment ?? "")}
      {children}
    </span>
  );
}
