import type { UserAdminPublic } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-faults.ts";
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
const wordsOf = (error: unknown) => accountRefusal(conflictReason(error)) ?? causeOf(error);

/** Gives a new password without the old one, and says what that ends. */
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
          <p role="status">Every session of the account has ended.</p>
          <p className="t2">The password is not shown again once this is closed. A lost one is replaced by another.</p>
          <div className={dialogFoot}>
            <CopyButton text={password} label="Copy the password" />
            <Button size="big" ref={takeFocus} onClick={onClose}>
              Close
            </Button>
          </div>
        </Dialog>
      )}
      undone="The password was not changed."
      wordsOf={wordsOf}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p>This ends, at once:</p>
          <ul className={dialogList}>
            <li>every session of the account, in every browser</li>
            <li>every device that was trusted to skip the second factor</li>
            <li>every API key of the account</li>
            <li>every link for a new password that is under way</li>
            <li>the lock, where wrong passwords brought one</li>
          </ul>
          {user.id === me.id ? (
            <p>This is you: you will be signed out here as well, and sign in with the new password.</p>
          ) : null}
          <p className="t2">A second factor stays and is asked for at the next sign-in.</p>
          <NewPasswordField value={password} onChange={setPassword} error={faults.new_password} />
        </>
      )}
    </FormDialog>
  );
}

/** Makes an account inactive, or active again. */
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
      wordsOf={wordsOf}
      onClose={onClose}
    >
      {isActive ? (
        <p>
          Every session of the account ends at once, nobody signs in with it, and its API keys stop working. Memberships
          and everything else stay; activating it brings the keys back, and no session.
        </p>
      ) : (
        <p>The account can sign in again, and its API keys work again. Sessions from before do not come back.</p>
      )}
    </FormDialog>
  );
}

/** Deletes an account for good, once its address was typed. */
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
      wordsOf={wordsOf}
      onClose={onClose}
    >
      <p>This cannot be undone. With the account go:</p>
      <ul className={dialogList}>
        <li>its memberships in projects</li>
        <li>its sessions, and devices that were trusted</li>
        <li>its API keys, which stop working at once</li>
        <li>its saved views</li>
        <li>its second factor</li>
      </ul>
      <p className="t2">
        Commands and audit rows stay and no longer name it. To shut somebody out and keep all of this, deactivate the
        account instead.
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
