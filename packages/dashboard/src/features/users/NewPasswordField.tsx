import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/buttons/Button.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { passwordPolicyQuery } from "../account/index.ts";
import { freshPassword } from "./fresh-password.ts";
import css from "./users.module.css";

interface NewPasswordFieldProps {
  value: string;
  onChange: (password: string) => void;
  error?: string | undefined;
}

/** A password for another user: typed, or generated here and then shown, to be passed on. */
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
            ? "Share it through a secure channel."
            : `At least ${policy.min_length} characters with ${policy.required_character_classes} of ${policy.character_class_names.join(", ")}; or ${policy.exempt_length} characters. Share it through a secure channel.`
        }
      />
      <div className={css.passwordActs}>
        <Button
          onClick={() => {
            setMade(true);
            onChange(freshPassword(policy?.min_length));
          }}
        >
          Generate
        </Button>
        {isMade ? <CopyButton text={value} label="Copy password" /> : null}
      </div>
    </div>
  );
}
