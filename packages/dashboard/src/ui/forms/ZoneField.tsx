import { useId } from "react";
import { Field } from "./Field.tsx";

interface ZoneFieldProps {
  value: string;
  onChange: (zone: string) => void;
  hint?: string;
  error?: string | undefined;
  readOnly?: boolean;
}

/** An IANA time zone, with suggestions from the browser. */
export function ZoneField({ value, onChange, hint, error, readOnly = false }: ZoneFieldProps) {
  const id = useId();
  return (
    <>
      <Field
        label="Time zone"
        required
        list={readOnly ? undefined : id}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        readOnly={readOnly}
        hint={hint}
        error={error}
      />
      {readOnly ? null : (
        <datalist id={id}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}
