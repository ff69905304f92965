import { type KeyboardEvent, useId } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { Glyph } from "../../../ui/Icon.tsx";
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
  const id = useId();
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
    <div className={error ? `${controls.field} ${controls.bad}` : controls.field}>
      <label htmlFor={id}>More places, or fewer with a minus</label>
      <div className={css.stepper}>
        {button(-1, "One place fewer")}
        <input
          id={id}
          className={controls.in}
          autoComplete="off"
          value={value}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-h ${id}-e` : `${id}-h`}
          onKeyDown={onKeyDown}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {button(1, "One place more")}
      </div>
      {error ? (
        <p className={controls.err} id={`${id}-e`}>
          <Glyph name="failure" />
          {error}
        </p>
      ) : null}
      <p className={controls.hint} id={`${id}-h`} role="status">
        {present === null
          ? `Its present size was not reported. At most ${mostPlaces} at a time.`
          : `It has ${count(present)} now${delta === 0 ? "." : `, and ${count(Math.max(0, present + delta))} then.`}`}
      </p>
    </div>
  );
}
