import { type TaskState, taskStates } from "@svc/client";
import { useId } from "react";
import { Options } from "../../../ui/forms/Select.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import css from "../list.module.css";

// Problems first, then active states, then the rest.
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

/** The number of tasks in each state and in total, as texts. */
export interface Counts {
  by: ReadonlyMap<string, string>;
  all: string;
  /** The exact count of one state or all; null if only a lower bound is known. */
  exactly: (state: TaskState | undefined) => number | null;
}

interface StateRailProps {
  state: TaskState | undefined;
  /** Counts under the other filters; null while unknown. */
  counts: Counts | null;
  onChange: (state: TaskState | undefined) => void;
}

/** Selects one state or all; the list supports a single state. */
export function StateRail({ state, counts, onChange }: StateRailProps) {
  const name = useId();
  const textOf = (one: TaskState) => (counts ? (counts.by.get(one) ?? "0") : "");
  return (
    <>
      <fieldset className={`${css.states} lg`}>
        <legend className="vh">State</legend>
        <Choice
          name={name}
          word="all"
          glyph="all"
          text={counts?.all ?? ""}
          isChosen={!state}
          onChoose={() => onChange(undefined)}
        />
        {order.map((one) => (
          <Choice
            key={one}
            name={name}
            word={one}
            glyph={one}
            text={textOf(one)}
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
          <Options
            of={[["all", `all ${counts?.all ?? ""}`], ...order.map((one) => [one, `${one} ${textOf(one)}`] as const)]}
          />
        </select>
      </label>
    </>
  );
}

interface ChoiceProps {
  name: string;
  word: string;
  glyph: string;
  text: string;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ name, word, glyph, text, isChosen, onChoose }: ChoiceProps) {
  return (
    <label data-state={word === "all" ? undefined : word}>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <span>
        <Glyph name={glyph} />
        <span className="grow">{word}</span>
        <span className={css.count}>{text}</span>
      </span>
    </label>
  );
}
