import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import { Field } from "../../ui/forms/Field.tsx";
import { passwordPolicyQuery } from "../account/queries.ts";
import { freshPassword } from "./fresh-password.ts";
import css from "./users.module.css";

interface NewPasswordFieldProps {
  value: string;
  onChange: (password: string) => void;
  error?: string | undefined;
}

/** A password for somebody else: typed, or made here and then legible, to be handed over. */
export function NewPasswordField({ value, onChange, error }: NewPasswordFieldProps) {
  const policy = useQuery(passwordPolicyQuery).data;
  const [isMade, setMade] = useState(false);
  return (
    <div className={css.password}>
      <Field
        label="New password"
        required
        type={isMade ? "text" : "password"}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={256}
        value={value}
        onChange={(event) => {
          setMade(false);
          onChange(event.currentTarget.value);
        }}
        error={error === undefined ? null : `The password ${error}.`}
        hint={
          policy === undefined
            ? "Hand it over where nobody else can read it."
            : `At least ${policy.min_length} characters of ${policy.required_character_classes} kinds (${policy.character_class_names.join(", ")}); from ${policy.exempt_length} on any. Hand it over where nobody else can read it.`
        }
      />
      <div className={css.passwordActs}>
        <button
          type="button"
          className={controls.btn}
          onClick={() => {
            setMade(true);
            onChange(freshPassword(policy?.min_length));
          }}
        >
          Make one
        </button>
        {isMade ? <CopyButton text={value} label="Copy the password" /> : null}
      </div>
    </div>
  );
}
