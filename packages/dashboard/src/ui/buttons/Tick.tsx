import { type ReactNode, useId } from "react";
import controls from "../controls.module.css";

interface TickProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** What it means, or why it cannot be changed. */
  says?: ReactNode;
  /** It stays as it is; `says` tells why. */
  isFixed?: boolean;
  children: ReactNode;
}

/** A box to tick with its words. */
export function Tick({ checked, onChange, says, isFixed = false, children }: TickProps) {
  const id = useId();
  return (
    <div className={controls.tickRow}>
      <label className={controls.check}>
        <span className={controls.tick}>
          <input
            type="checkbox"
            checked={checked}
            // Not disabled: what it says must be read where it stands.
            aria-disabled={isFixed}
            aria-describedby={says ? id : undefined}
            onChange={(event) => {
              if (!isFixed) onChange(event.currentTarget.checked);
            }}
          />
        </span>
        {children}
      </label>
      {says ? (
        <p className={controls.hint} id={id}>
          {says}
        </p>
      ) : null}
    </div>
  );
}
