import type { PasswordPolicy } from "@svc/client";
import { useId, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { Glyph } from "../../../ui/Icon.tsx";
import { takeFocus } from "../../../ui/layers/take-focus.ts";
import css from "./new-password.module.css";
import { passwordRules, shippedPolicy } from "./password-rules.ts";

interface NewPasswordProps {
  label?: string;
  /** Null where the server does not report it. */
  policy: PasswordPolicy | null;
  value: string;
  onChange: (password: string) => void;
  /** The server's error, without a subject. */
  error?: string | undefined;
  isFirst?: boolean;
}

/** A field for a new password that checks its rules while typing. It can be revealed instead of typed twice. */
export function NewPassword({ label = "New password", policy, value, onChange, error, isFirst }: NewPasswordProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const rules = passwordRules(value, policy ?? shippedPolicy, policy === null);
  const open = rules.filter(({ isMet }) => isMet === false).length;
  return (
    <div className={error ? `${controls.field} ${controls.bad}` : controls.field}>
      <div className={css.head}>
        <label htmlFor={id}>{label}</label>
        <Button variant="link" aria-pressed={isShown} aria-controls={id} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"}
          <span className="vh"> the {label.toLowerCase()}</span>
        </Button>
      </div>
      <input
        id={id}
        className={controls.in}
        type={isShown ? "text" : "password"}
        name="new_password"
        autoComplete="new-password"
        spellCheck={false}
        autoCapitalize="off"
        required
        ref={isFirst ? takeFocus : undefined}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-e ${id}-r` : `${id}-r`}
      />
      {error ? (
        <p className={controls.err} id={`${id}-e`}>
          <Glyph name="failure" />
          This {error}.
        </p>
      ) : null}
      <ul className={css.rules} id={`${id}-r`}>
        {rules.map(({ text, isMet }) => (
          <li key={text} data-state={isMet === true ? "success" : "pending"}>
            <Glyph name={isMet === true ? "success" : "pending"} />
            <span>
              {text}
              {isMet === true ? <span className="vh"> (met)</span> : null}
            </span>
          </li>
        ))}
      </ul>
      <p className="vh" role="status">
        {value !== "" && open === 0 ? "Meets all rules that can be checked here." : ""}
      </p>
    </div>
  );
}
