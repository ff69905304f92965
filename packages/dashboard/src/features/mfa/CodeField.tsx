import type { ReactNode } from "react";
import { Field } from "../../ui/forms/Field.tsx";

interface CodeFieldProps {
  value: string;
  onChange: (code: string) => void;
  error: string | null;
  isRecovery?: boolean;
  hint?: ReactNode;
  isFirst?: boolean;
}

/** One field for all six digits, so that a code can be pasted or autofilled; spaces are ignored. */
export function CodeField({ value, onChange, error, isRecovery = false, hint, isFirst = true }: CodeFieldProps) {
  const kind = isRecovery
    ? ({ label: "Recovery code", autoComplete: "off", maxLength: 20, autoCapitalize: "characters" } as const)
    : ({ label: "Six-digit code", autoComplete: "one-time-code", inputMode: "numeric", maxLength: 20 } as const);
  const usual = isRecovery
    ? "One of the recovery codes that you saved last. Each works once."
    : "From your authenticator app. Changes every 30 seconds.";
  return (
    <Field
      {...kind}
      name="code"
      required
      minLength={6}
      spellCheck={false}
      autoFocus={isFirst}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      hint={hint ?? usual}
      error={error}
    />
  );
}
