import { type ReactNode, useState } from "react";
import { Button } from "../buttons/Button.tsx";
import { RetryButton } from "../buttons/RetryButton.tsx";
import { Glyph } from "../Icon.tsx";
import { causeOf, type ErrorPanelProps } from "./Feedback.tsx";
import css from "./feedback.module.css";

export function Empty({ title, children, chips }: { title: string; children?: ReactNode; chips?: ReactNode }) {
  return (
    <section className={css.empty}>
      <h2>{title}</h2>
      {children}
      {chips ? <div className={css.chips}>{chips}</div> : null}
    </section>
  );
}

/** One line above content that is still shown although its renewal failed. */
export function InlineError({ title, error, onRetry }: ErrorPanelProps) {
  return (
    <div className={css.line} role="alert">
      <Glyph name="failure" />
      <span className="grow">
        {title}. {causeOf(error)}
      </span>
      {onRetry ? <RetryButton error={error} onRetry={onRetry} variant="link" /> : null}
    </div>
  );
}

export function NoteLine({
  children,
  aside,
  action,
  glyph = "unknown",
  onClose,
}: {
  children: ReactNode;
  /** What changes by itself, such as an age: shown, but not announced each time. */
  aside?: ReactNode;
  /** What can be done about it. */
  action?: ReactNode;
  glyph?: string;
  onClose?: () => void;
}) {
  const [closed, setClosed] = useState(false);
  if (closed) return null;
  return (
    <div className={`${css.line} ${css.note}`}>
      <Glyph name={glyph} />
      <span className="grow">
        <span role="status">{children}</span> {aside}
      </span>
      {action}
      {onClose ? (
        <Button
          variant="icon"
          icon="x"
          aria-label="Dismiss"
          onClick={() => {
            setClosed(true);
            onClose();
          }}
        />
      ) : null}
    </div>
  );
}
