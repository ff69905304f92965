import { type ReactNode, useEffect, useRef } from "react";

interface ActFormProps {
  /** Why it was refused; the focus goes to the first field at fault, or to what says it of the whole. */
  error: unknown;
  className?: string | undefined;
  onSubmit: (form: HTMLFormElement) => void;
  children: ReactNode;
}

/** A form of Fields; its ActButton says when it may be sent. */
export function ActForm({ error, className, onSubmit, children }: ActFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-refusal]')?.focus();
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
