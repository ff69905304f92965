import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react";
import controls from "../controls.module.css";
import { Glyph } from "../Icon.tsx";

export interface Labelled {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** React focuses the field on mount but does not set the attribute, which a dialog uses to choose its initial focus. */
const markAutoFocus = (field: HTMLElement | null) => field?.setAttribute("autofocus", "");

/** A labelled input with hint and error. */
export function Field({
  label,
  hint,
  error,
  ...input
}: Labelled & Omit<InputHTMLAttributes<HTMLInputElement>, "id" | "className">) {
  return (
    <Frame {...{ label, hint, error }}>
      {(wiring) => (
        <input ref={input.autoFocus ? markAutoFocus : null} {...input} {...wiring} className={controls.in} />
      )}
    </Frame>
  );
}

/** The same for multi-line text. */
export function AreaField({
  label,
  hint,
  error,
  ...area
}: Labelled & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id" | "className">) {
  return (
    <Frame {...{ label, hint, error }}>
      {(wiring) => <textarea {...area} {...wiring} className={`${controls.in} ${controls.area}`} />}
    </Frame>
  );
}

/** The attributes that link an input to its label, hint and error. */
interface Wiring {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

/** The label, hint and error around an input. */
export function Frame({ label, hint, error, children }: Labelled & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const described = [hint ? `${id}-h` : null, error ? `${id}-e` : null].filter(Boolean).join(" ");
  return (
    <div className={error ? `${controls.field} ${controls.bad}` : controls.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-invalid": error ? true : undefined, "aria-describedby": described || undefined })}
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
