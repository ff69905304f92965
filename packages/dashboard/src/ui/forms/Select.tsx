import controls from "../controls.module.css";
import { Frame, type Labelled } from "./Field.tsx";

/** An option: its value, and its label if different. */
type Choice<Value extends string> = Value | readonly [value: Value, label: string];

interface SelectProps<Value extends string> {
  label: string;
  /** Whether the label is visible, not only for screen readers. */
  isLabelShown?: boolean;
  value: Value;
  options: readonly Choice<Value>[];
  onChange: (value: Value) => void;
  className?: string | undefined;
}

/** A select in a toolbar, such as a list's filter. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, isLabelShown = false, options, onChange } = props;
  return (
    <label className={props.className}>
      <span className={isLabelShown ? undefined : "vh"}>{label}</span>
      <select
        className={controls.in}
        title={isLabelShown ? undefined : label}
        value={props.value}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        <Options of={options} />
      </select>
    </label>
  );
}

interface ChoiceProps extends Labelled {
  value: string;
  options: readonly Choice<string>[];
  onChange: (value: string) => void;
}

/** A select as a form field. */
export function ChoiceField({ label, hint, error, value, options, onChange }: ChoiceProps) {
  return (
    <Frame {...{ label, hint, error }}>
      {(wiring) => (
        <select
          {...wiring}
          className={controls.in}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <Options of={options} />
        </select>
      )}
    </Frame>
  );
}

export function Options({ of }: { of: readonly Choice<string>[] }) {
  return of.map((choice) => {
    const [value, label] = typeof choice === "string" ? [choice, choice] : choice;
    return (
      <option key={value} value={value}>
        {label}
      </option>
    );
  });
}
