import { type ReactNode, useEffect } from "react";
import { toggleTheme } from "../../ui/appearance.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import css from "./entry.module.css";

interface EntryFrameProps {
  title: string;
  children: ReactNode;
  /** On the left of the footer. */
  foot?: ReactNode;
}

/** The frame of pages before sign-in: the server's name and one task. */
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
          Switch theme
        </Button>
      </footer>
    </main>
  );
}

/** A framed note between heading and form. */
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
/** Around alternative actions. */
export const entryAside = css.aside;
