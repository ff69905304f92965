import { type ReactNode, useEffect, useRef } from "react";

const faultSelector = '[aria-invalid="true"], :scope:has(input, select, textarea) [data-alert]';

interface ActFormProps {
  /** Why it was refused. The focus goes to the first field at fault, or to what says it of all of them; without fields it stays on the button. */
  error: unknown;
  className?: string | undefined;
  onSubmit: (form: HTMLFormElement) => void;
  children: ReactNode;
}

/** A form of Fields; its ActButton says when it may be sent. */
export function ActForm({ error, className, onSubmit, children }: ActFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>(faultSelector)?.focus();
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
