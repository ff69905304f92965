import type { KeyboardEvent } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { Frame } from "../../../ui/forms/Field.tsx";
import { count } from "../../../ui/time/format.ts";
import css from "../commands/commands.module.css";
import { maximumChange, readChange, stepped } from "./pool-change.ts";

interface PoolStepperProps {
  /** The change in pool size as typed. */
  value: string;
  /** The pool size; null if not reported. */
  current: number | null;
  error: string | null | undefined;
  onChange: (value: string) => void;
}

/** The change in pool size, by buttons, arrow keys or typing. */
export function PoolStepper({ value, current, error, onChange }: PoolStepperProps) {
  const delta = readChange(value);
  const step = (by: 1 | -1) => {
    const next = stepped(delta, by, current);
    if (next !== null) onChange(String(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    step(event.key === "ArrowUp" ? 1 : -1);
  };
  const button = (by: 1 | -1, label: string) => (
    <Button
      variant="icon"
      icon={by > 0 ? "plus" : "minus"}
      aria-label={label}
      title={label}
      isPending={stepped(delta, by, current) === null}
      onClick={() => step(by)}
    />
  );
  return (
    <Frame
      label="Change in pool size"
      error={error}
      hint={
        <span role="status">
          {current === null
            ? `Current size not reported. Maximum change ${maximumChange}.`
            : `Currently ${count(current)}${delta === 0 ? "." : `, then ${count(Math.max(0, current + delta))}.`}`}
        </span>
      }
    >
      {(wiring) => (
        <div className={css.stepper}>
          {button(-1, "Decrease by one")}
          <input
            {...wiring}
            className={controls.in}
            autoComplete="off"
            value={value}
            onKeyDown={onKeyDown}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          {button(1, "Increase by one")}
        </div>
      )}
    </Frame>
  );
}
