import { type ComponentProps, type ReactNode, useId } from "react";
import controls from "../controls.module.css";

/** A box to tick and the words beside it, which are its label. */
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

interface TickProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** What it means, or why it cannot be changed. */
  says?: ReactNode;
  /** It stays as it is; `says` tells why. */
  isFixed?: boolean;
  children: ReactNode;
}

/** The same with a line below that says more. */
export function Tick({ checked, onChange, says, isFixed = false, children }: TickProps) {
  const id = useId();
  return (
    <div className={controls.tickRow}>
      <Check
        checked={checked}
        // Not disabled: what it says must be read where it stands.
        aria-disabled={isFixed}
        aria-describedby={says ? id : undefined}
        onChange={(event) => {
          if (!isFixed) onChange(event.currentTarget.checked);
        }}
      >
        {children}
      </Check>
      {says ? (
        <p className={controls.hint} id={id}>
          {says}
        </p>
      ) : null}
    </div>
  );
}
