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

/** An error line above stale content. */
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
  /** Frequently changing text, such as an age: shown, but not announced. */
  aside?: ReactNode;
  /** A link or button. */
  action?: ReactNode;
  glyph?: string;
  onClose?: () => void;
}) {
  const [closed, setClosed] = useState(false);
  if (closed) return null;
  return (
    <div className={`${css.line} ${css.note}`}>
      <Glyph name={glyph} />
      <p className="grow">
        <span role="status">{children}</span> {aside}
      </p>
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
