import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react";
import controls from "../controls.module.css";
import { Glyph } from "../Icon.tsx";

export interface Labelled {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** React focuses the field when it is drawn; a dialog that opens around it looks for the attribute. */
const markAutoFocus = (field: HTMLElement | null) => field?.setAttribute("autofocus", "");

/** A labelled input whose error is read with it. */
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

/** The same for text of several lines. */
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

/** What ties an input to its label and to what is said of it. */
interface Wiring {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

/** A label, what stands under it, and why its input is wrong. */
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
