import type { UserAdminPublic, UserChanges } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason, errorsByField } from "../../api/field-errors.ts";
import { Checkbox } from "../../ui/buttons/Checkbox.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { ZoneField } from "../../ui/forms/ZoneField.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { printable } from "../../ui/time/format.ts";
import { accountRefusal } from "./account-guards.ts";
import { NewPasswordField } from "./NewPasswordField.tsx";
import css from "./users.module.css";

interface UserDrawerProps {
  /** The account to change; without it, a new one is created. */
  user?: UserAdminPublic;
  /** Why the account cannot be demoted; null when it can. */
  guard?: string | null;
  onClose: () => void;
}

const adminMeans =
  "Admin of every project. Manages accounts, creates projects, and sees the settings and versions of this server.";

/** Edits all fields of an account except its state. The address of an existing account is fixed. */
export function UserDrawer({ user, guard = null, onClose }: UserDrawerProps) {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [names, setNames] = useState({
    display_name: user?.display_name ?? "",
    first_name: user?.first_name ?? "",
    last_name: user?.last_name ?? "",
  });
  const [timezone, setTimezone] = useState(user?.timezone ?? "UTC");
  const [isAdmin, setAdmin] = useState(user?.is_admin ?? false);
  const send = () => {
    const body = { ...namesOf(names), timezone, is_admin: isAdmin };
    return user
      ? api.changeUser(user.id, changedOf(user, body))
      : api.createUser({ ...body, email: email.trim(), password });
  };
  const done = async () => {
    await client.invalidateQueries({ queryKey: ["users"] });
    await client.invalidateQueries({ queryKey: ["me"] });
  };
  const nameField = (label: string, key: keyof typeof names, hint?: string, error?: string) => (
    <Field
      label={label}
      maxLength={200}
      autoComplete="off"
      value={names[key]}
      onChange={(event) => setNames({ ...names, [key]: event.currentTarget.value })}
      hint={hint}
      error={error}
    />
  );

  return (
    <FormDialog
      title={user ? `Edit account ${printable(user.email)}` : "Create account"}
      isSide
      act={user ? "Save changes" : "Create account"}
      send={send}
      onDone={done}
      undone={user ? "Nothing was changed." : "No account was created."}
      errorText={(error) => accountRefusal(conflictReason(error)) ?? causeOf(error)}
      errorsOf={errorsOf}
      onClose={onClose}
    >
      {(errors) => (
        <>
          {user ? (
            <div className={css.fixed}>
              <span>Email</span>
              <b>
                <Icon name="lock" className="t3" />
                {printable(user.email)}
              </b>
              <p className="t2">Can't be changed. For another address, create another account.</p>
            </div>
          ) : (
            <>
              <Field
                label="Email"
                type="email"
                required
                maxLength={320}
                autoComplete="off"
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                hint="Used to sign in. Can't be changed later."
                error={errors.email}
              />
              <NewPasswordField value={password} onChange={setPassword} error={errors.password} />
            </>
          )}
          {nameField("Display name", "display_name", "Shown to others instead of the email.", errors.display_name)}
          {nameField("First name", "first_name", undefined, errors.first_name)}
          {nameField("Last name", "last_name", undefined, errors.last_name)}
          <ZoneField value={timezone} onChange={setTimezone} error={errors.timezone} />
          <Checkbox
            checked={isAdmin}
            onChange={setAdmin}
            isFixed={guard !== null && isAdmin}
            hint={guard !== null && isAdmin ? guard : adminMeans}
          >
            Instance administrator
          </Checkbox>
          {user ? null : (
            <p className="t2">The account has no project yet. Add it under Members in a project's settings.</p>
          )}
        </>
      )}
    </FormDialog>
  );
}

function errorsOf(error: unknown): Readonly<Record<string, string>> {
  const reason = conflictReason(error);
  return reason === "email_in_use" ? { email: accountRefusal(reason) ?? "" } : errorsByField(error);
}

/** Only the fields changed here, so that changes by others are kept. */
function changedOf(user: UserAdminPublic, body: UserChanges): UserChanges {
  return Object.fromEntries(
    Object.entries(body).filter(([key, value]) => value !== (user[key as keyof UserChanges] ?? null)),
  );
}

/** Blank names are sent as null. */
function namesOf<Key extends string>(names: Record<Key, string>): Record<Key, string | null> {
  const entries = Object.entries<string>(names).map(([key, value]) => [key, value.trim() || null]);
  return Object.fromEntries(entries) as Record<Key, string | null>;
}
