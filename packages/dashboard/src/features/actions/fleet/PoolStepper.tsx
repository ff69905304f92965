import type { KeyboardEvent } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { Frame } from "../../../ui/forms/Field.tsx";
import { count } from "../../../ui/time/format.ts";
import css from "../commands/commands.module.css";
import { mostPlaces, readPlaces, stepped } from "./pool-places.ts";

interface PoolStepperProps {
  /** How many places more, or fewer with a minus, as it is typed. */
  value: string;
  /** The size of the pool; null where it was not reported. */
  present: number | null;
  error: string | null | undefined;
  onChange: (value: string) => void;
}

/** By how much a pool grows or shrinks: by a button, by the arrow keys or typed. */
export function PoolStepper({ value, present, error, onChange }: PoolStepperProps) {
  const delta = readPlaces(value);
  const step = (by: 1 | -1) => {
    const next = stepped(delta, by, present);
    if (next !== null) onChange(String(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    step(event.key === "ArrowUp" ? 1 : -1);
  };
  const button = (by: 1 | -1, words: string) => (
    <Button
      variant="icon"
      icon={by > 0 ? "plus" : "minus"}
      aria-label={words}
      title={words}
      isPending={stepped(delta, by, present) === null}
      onClick={() => step(by)}
    />
  );
  return (
    <Frame
      label="More places, or fewer with a minus"
      error={error}
      hint={
        <span role="status">
          {present === null
            ? `Its present size was not reported. At most ${mostPlaces} at a time.`
            : `It has ${count(present)} now${delta === 0 ? "." : `, and ${count(Math.max(0, present + delta))} then.`}`}
        </span>
      }
    >
      {(wiring) => (
        <div className={css.stepper}>
          {button(-1, "One place fewer")}
          <input
            {...wiring}
            className={controls.in}
            autoComplete="off"
            value={value}
            onKeyDown={onKeyDown}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          {button(1, "One place more")}
        </div>
      )}
    </Frame>
  );
}
