import type { UserAdminPublic } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-errors.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { Dialog, dialogFoot, dialogList } from "../../ui/layers/Layers.tsx";
import { takeFocus } from "../../ui/layers/take-focus.ts";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { printable } from "../../ui/time/format.ts";
import { useMe } from "../sessions/index.ts";
import { accountRefusal } from "./account-guards.ts";
import { NewPasswordField } from "./NewPasswordField.tsx";

interface AccountDialogProps {
  user: UserAdminPublic;
  onClose: () => void;
}

const nameOf = (user: UserAdminPublic) => printable(user.display_name || user.email);
const errorText = (error: unknown) => accountRefusal(conflictReason(error)) ?? causeOf(error);

/** Sets a new password without the old one, and lists the consequences. */
export function ResetPasswordDialog({ user, onClose }: AccountDialogProps) {
  const me = useMe();
  const [password, setPassword] = useState("");
  return (
    <FormDialog
      title={`Reset password of ${nameOf(user)}`}
      act="Reset password"
      isDanger
      send={() => api.resetUserPassword(user.id, { new_password: password })}
      answered={() => (
        <Dialog title={`Password of ${nameOf(user)} reset`} onClose={onClose}>
          <p role="status">All sessions of the account have ended.</p>
          <p className="t2">The password can't be shown again. If it is lost, reset it again.</p>
          <div className={dialogFoot}>
            <CopyButton text={password} label="Copy password" />
            <Button size="big" ref={takeFocus} onClick={onClose}>
              Close
            </Button>
          </div>
        </Dialog>
      )}
      undone="The password was not changed."
      errorText={errorText}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <p>This immediately ends:</p>
          <ul className={dialogList}>
            <li>all sessions of the account</li>
            <li>all trusted devices</li>
            <li>all API keys of the account</li>
            <li>all pending password reset links</li>
            <li>a lock due to wrong passwords</li>
          </ul>
          {user.id === me.id ? (
            <p>This is your own account. You will be signed out here too; sign in again with the new password.</p>
          ) : null}
          <p className="t2">A second factor is kept and needed at the next sign-in.</p>
          <NewPasswordField value={password} onChange={setPassword} error={errors.new_password} />
        </>
      )}
    </FormDialog>
  );
}

/** Deactivates or reactivates an account. */
export function ActivityDialog({ user, onClose }: AccountDialogProps) {
  const client = useQueryClient();
  const { is_active: isActive } = user;
  const act = isActive ? "Deactivate" : "Activate";
  return (
    <FormDialog
      title={`${act} ${nameOf(user)}`}
      act={`${act} account`}
      isDanger={isActive}
      send={() => api.changeUser(user.id, { is_active: !isActive })}
      onDone={() => client.invalidateQueries({ queryKey: ["users"] })}
      undone="Nothing was changed."
      errorText={errorText}
      onClose={onClose}
    >
      {isActive ? (
        <p>
          All sessions end immediately, no one can sign in with the account, and its API keys stop working. Memberships
          and everything else are kept. Activating the account restores the keys, but not the sessions.
        </p>
      ) : (
        <p>The account can sign in again, and its API keys work again. Earlier sessions are not restored.</p>
      )}
    </FormDialog>
  );
}

/** Deletes an account after its address was typed. */
export function DeleteUserDialog({ user, onClose }: AccountDialogProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      title={`Delete ${nameOf(user)}`}
      act="Delete account"
      isDanger
      reason={typed.trim() === user.email ? null : "Type the address first"}
      send={() => api.deleteUser(user.id)}
      onDone={() => client.invalidateQueries({ queryKey: ["users"] })}
      undone="Nothing was deleted."
      errorText={errorText}
      onClose={onClose}
    >
      <p>This can't be undone. It also deletes:</p>
      <ul className={dialogList}>
        <li>project memberships</li>
        <li>sessions and trusted devices</li>
        <li>API keys, which stop working immediately</li>
        <li>saved views</li>
        <li>the second factor</li>
      </ul>
      <p className="t2">
        Commands and audit entries are kept but no longer name the account. To block access and keep everything,
        deactivate the account instead.
      </p>
      <Field
        label={`Type ${printable(user.email)} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
