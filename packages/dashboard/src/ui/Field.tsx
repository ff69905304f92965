import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import controls from "./controls.module.css";
import { Glyph } from "./Icon.tsx";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "id" | "className"> {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** A labelled input whose error is read with it. */
export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-h` : null, error ? `${id}-e` : null].filter(Boolean).join(" ");
  return (
    <div className={error ? `${controls.field} ${controls.bad}` : controls.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className={controls.in}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
      />
      {error ? (
        <p className={controls.err} id={`${id}-e`}>
          <Glyph name="failure" />
          {error}
        </p>
      ) : null}
      {hint ? (
        <p className={controls.hint} id={`${id}-h`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}
