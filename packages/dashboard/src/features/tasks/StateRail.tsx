import { type TaskState, taskStates } from "@svc/client";
import { useId } from "react";
import { shortCount } from "../../ui/format.ts";
import { Glyph } from "../../ui/Icon.tsx";
import css from "./list.module.css";

// Wrong first, then what moves, then the rest: the order people look in.
const order: readonly TaskState[] = [
  "failure",
  "retry",
  "started",
  "pending",
  "received",
  "success",
  "revoked",
  "rejected",
  "unknown",
];

interface StateRailProps {
  state: TaskState | undefined;
  /** Null when counts under the present filters are not known. */
  counts: Partial<Record<TaskState, number>> | null;
  onChange: (state: TaskState | undefined) => void;
}

/** One state or all: the list takes a single one. */
export function StateRail({ state, counts, onChange }: StateRailProps) {
  const name = useId();
  const total = counts ? taskStates.reduce((sum, one) => sum + (counts[one] ?? 0), 0) : null;
  return (
    <>
      <fieldset className={`${css.states} lg`}>
        <legend className="vh">State, one of</legend>
        <Choice
          name={name}
          word="all"
          glyph="all"
          count={total}
          isChosen={!state}
          onChoose={() => onChange(undefined)}
        />
        {order.map((one) => (
          <Choice
            key={one}
            name={name}
            word={one}
            glyph={one}
            count={counts ? (counts[one] ?? 0) : null}
            isChosen={one === state}
            onChoose={() => onChange(one)}
          />
        ))}
      </fieldset>
      <label className="sm">
        <span className="vh">State</span>
        <select
          className={css.select}
          value={state ?? "all"}
          onChange={(event) => onChange(taskStates.find((one) => one === event.currentTarget.value))}
        >
          <option value="all">all {total === null ? "" : shortCount(total)}</option>
          {order.map((one) => (
            <option key={one} value={one}>
              {one} {counts ? shortCount(counts[one] ?? 0) : ""}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

interface ChoiceProps {
  name: string;
  word: string;
  glyph: string;
  count: number | null;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ name, word, glyph, count, isChosen, onChoose }: ChoiceProps) {
  return (
    <label data-state={word === "all" ? undefined : word}>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <span>
        <Glyph name={glyph} />
        <span className="grow">{word}</span>
        <span className={css.count}>{count === null ? "" : shortCount(count)}</span>
      </span>
    </label>
  );
}
