import { type TaskState, taskStates } from "@svc/client";
import { useId } from "react";
import { Options } from "../../../ui/forms/Select.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import css from "../list.module.css";

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

/** How many tasks are in each state, and in all of them, as texts. */
export interface Counts {
  by: ReadonlyMap<string, string>;
  all: string;
  /** Of one state or all; null for a lower bound. */
  exactly: (state: TaskState | undefined) => number | null;
}

interface StateRailProps {
  state: TaskState | undefined;
  /** Under the other filters; null while they are not known. */
  counts: Counts | null;
  onChange: (state: TaskState | undefined) => void;
}

/** One state or all: the list takes a single one. */
export function StateRail({ state, counts, onChange }: StateRailProps) {
  const name = useId();
  const textOf = (one: TaskState) => (counts ? (counts.by.get(one) ?? "0") : "");
  return (
    <>
      <fieldset className={`${css.states} lg`}>
        <legend className="vh">State, one of</legend>
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
