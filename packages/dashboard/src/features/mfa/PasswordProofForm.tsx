import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../api/api.ts";
import { noticeSignedOut } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import controls from "../../ui/controls.module.css";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { useMe } from "../sessions/index.ts";
import { passwordFailure } from "./failures.ts";

interface PasswordProofFormProps {
  onProved: () => void;
  /** Rendered between the field and the button. */
  children?: ReactNode;
  actions: (confirm: ReactNode) => ReactNode;
}

/** Asks for the password to confirm the user's identity. */
export function PasswordProofForm({ onProved, children, actions }: PasswordProofFormProps) {
  const { email } = useMe();
  const [password, setPassword] = useState("");
  const prove = useMutation({
    mutationFn: () => api.stepUp({ password }),
    onSuccess: onProved,
    onError: noticeSignedOut,
    gcTime: 0,
  });
  return (
    <ActForm error={prove.error} className={controls.rows} onSubmit={() => prove.mutate()}>
      {/* Lets password managers know which account the password belongs to. */}
      <input className="vh" type="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        maxLength={256}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={prove.isError ? passwordFailure(prove.error) : null}
      />
      {children === null ? null : <div>{children}</div>}
      {actions(
        <ActButton error={prove.error} isBusy={prove.isPending}>
          {prove.isPending ? "Confirming…" : "Confirm"}
        </ActButton>,
      )}
    </ActForm>
  );
}
