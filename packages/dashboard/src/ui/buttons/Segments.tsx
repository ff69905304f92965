import { useId } from "react";
import controls from "../controls.module.css";

interface SegmentsProps<Value extends string> {
  legend: string;
  value: Value | null;
  options: readonly { value: Value; label: string; title?: string }[];
  onChange: (value: Value) => void;
  className?: string;
}

/** A choice among a few visible options. */
export function Segments<Value extends string>({ legend, value, options, onChange, className }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className={className ? `${controls.seg} ${className}` : controls.seg}>
      <legend className="vh">{legend}</legend>
      {options.map((option) => (
        <label key={option.value} title={option.title}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
