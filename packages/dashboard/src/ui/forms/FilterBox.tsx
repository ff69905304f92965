import { useRef } from "react";
import { Button } from "../buttons/Button.tsx";
import { Icon } from "../Icon.tsx";
import { useKeys } from "../layers/keys.ts";
import css from "./filter-box.module.css";

interface FilterBoxProps {
  /** Such as `Filter queues`. */
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** A filter box for a list; `/` focuses it, Esc clears it. */
export function FilterBox({ label, value, onChange }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
  });
  return (
    <div className={css.box} role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || value === "") return;
          event.preventDefault();
          onChange("");
        }}
      />
      {value === "" ? (
        <kbd className="lg">/</kbd>
      ) : (
        <Button variant="icon" icon="x" aria-label="Clear the filter" onClick={() => onChange("")} />
      )}
    </div>
  );
}
