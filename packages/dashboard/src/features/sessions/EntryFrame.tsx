import { type ReactNode, useEffect } from "react";
import { toggleTheme } from "../../ui/appearance.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import css from "./entry.module.css";

interface EntryFrameProps {
  title: string;
  children: ReactNode;
  /** At the left of the foot. */
  foot?: ReactNode;
}

/** The page of somebody who is not in the dashboard yet: whose server it is, one thing to do, and nothing around it. */
export function EntryFrame({ title, children, foot }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className={css.entry} id="main" tabIndex={-1}>
      <div className={css.column}>
        <p className={css.brand}>
          <span className={css.mark} aria-hidden="true">
            svc
          </span>
          <span>
            <b>{location.host}</b>
            <span className="t3">Task monitoring</span>
          </span>
        </p>
        <h1>{title}</h1>
        {children}
      </div>
      <footer className={css.foot}>
        {foot}
        <Button variant="link" onClick={toggleTheme}>
          Light or dark
        </Button>
      </footer>
    </main>
  );
}

/** A framed remark between heading and form. */
export function EntryNote({ icon = "schedules", children }: { icon?: string; children: ReactNode }) {
  return (
    <p className={css.note} role="status">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}

export const entryForm = css.form;
export const entrySubmit = css.submit;
export const entryKeep = css.keep;
/** Around what can be done instead. */
export const entryAside = css.aside;
