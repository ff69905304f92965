import { type ReactNode, useEffect, useRef } from "react";

const invalidSelector = '[aria-invalid="true"], :scope:has(input, select, textarea) [data-alert]';

interface ActFormProps {
  /** The submission's error. The focus moves to the first invalid field, or to the form's alert; without fields it stays on the button. */
  error: unknown;
  className?: string | undefined;
  onSubmit: (form: HTMLFormElement) => void;
  children: ReactNode;
}

/** A form of Fields; its ActButton controls whether it can be submitted. */
export function ActForm({ error, className, onSubmit, children }: ActFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>(invalidSelector)?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
