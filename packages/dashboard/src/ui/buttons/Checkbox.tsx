import { type ComponentProps, type ReactNode, useId } from "react";
import controls from "../controls.module.css";

/** A checkbox with its label. */
export function Check({ className = controls.check, title, children, ...box }: ComponentProps<"input">) {
  return (
    <label className={className} title={title}>
      <span className={controls.tick}>
        <input type="checkbox" {...box} />
      </span>
      {children}
    </label>
  );
}

interface CheckboxProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** An explanation, or why it can't be changed. */
  hint?: ReactNode;
  /** Whether it can't be changed; `hint` explains why. */
  isFixed?: boolean;
  children: ReactNode;
}

/** A checkbox with an explanation below. */
export function Checkbox({ checked, onChange, hint, isFixed = false, children }: CheckboxProps) {
  const id = useId();
  return (
    <div className={controls.tickRow}>
      <Check
        checked={checked}
        // Not `disabled`, so that its explanation remains accessible.
        aria-disabled={isFixed}
        aria-describedby={hint ? id : undefined}
        onChange={(event) => {
          if (!isFixed) onChange(event.currentTarget.checked);
        }}
      >
        {children}
      </Check>
      {hint ? (
        <p className={controls.hint} id={id}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}
