import type { Member, ProjectRole, UserAdminPublic } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-faults.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import controls from "../../ui/controls.module.css";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Refusal } from "../../ui/panels/Refusal.tsx";
import { printable } from "../../ui/time/format.ts";
import { useMe } from "../sessions/index.ts";
import { usersQuery } from "../users/index.ts";
import { membersQuery } from "./queries.ts";
import { RoleField } from "./RoleField.tsx";
import { memberRefusal } from "./roles.ts";
import { findUserByEmail } from "./user-by-email.ts";

const wordsOf = (error: unknown) => memberRefusal(conflictReason(error)) ?? causeOf(error);
export const memberName = (member: Member) => printable(member.user_display_name || member.user_email);

/** Whoever changes the own role may do other things afterwards, in the shell too. */
function useMembersChanged(slug: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: membersQuery(slug).queryKey });
    await client.invalidateQueries({ queryKey: ["me"] });
  };
}

class UnknownAddress extends Error {}

/** Gives an account that is there a role in the project. Only administrators of the instance can look accounts up. */
export function AddMemberDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const changed = useMembersChanged(slug);
  const id = useId();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("viewer");
  const known = useQuery(usersQuery(1)).data?.users ?? [];
  const add = useMutation({
    mutationFn: async () => {
      const user = await findUserByEmail(email, (limit, offset) => api.listUsers({ limit, offset }));
      if (user === null) throw new UnknownAddress();
      return api.addMember(slug, { user_id: user.id, role });
    },
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  const fault =
    add.error instanceof UnknownAddress
      ? "No account has this address. Invite it instead."
      : conflictReason(add.error) === "already_member"
        ? memberRefusal("already_member")
        : null;
  return (
    <Dialog title="Add a user" onClose={onClose}>
      <ActForm error={add.error} className={controls.rows} onSubmit={() => add.mutate()}>
        <Field
          label="Email of the account"
          type="email"
          required
          autoFocus
          list={id}
          maxLength={320}
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fault}
        />
        <datalist id={id}>
          {known.filter(isActive).map((user) => (
            <option key={user.id} value={user.email}>
              {user.display_name}
            </option>
          ))}
        </datalist>
        <RoleField value={role} onChange={setRole} />
        {add.isError && fault === null ? <Refusal>Nobody was added. {wordsOf(add.error)}</Refusal> : null}
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton error={add.error} isBusy={add.isPending}>
            Add as {role}
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

const isActive = (user: UserAdminPublic) => user.is_active;

interface MemberDialogProps {
  slug: string;
  member: Member;
  onClose: () => void;
}

export function ChangeRoleDialog({ slug, member, onClose }: MemberDialogProps) {
  const me = useMe();
  const changed = useMembersChanged(slug);
  const [role, setRole] = useState(member.role);
  const change = useMutation({
    mutationFn: () => api.changeMember(slug, member.id, { role }),
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  const losesAdmin = member.user_id === me.id && !me.is_admin && role !== "admin";
  return (
    <Dialog title={`Role of ${memberName(member)}`} onClose={onClose}>
      <ActForm error={change.error} className={controls.rows} onSubmit={() => change.mutate()}>
        <RoleField value={role} onChange={setRole} />
        <p className="t2">It counts from the member's next request.</p>
        {losesAdmin ? <p>This is you: only another admin can give the role back.</p> : null}
        {change.isError ? <Refusal>The role is as it was. {wordsOf(change.error)}</Refusal> : null}
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton
            error={change.error}
            isBusy={change.isPending}
            reason={role === member.role ? "This is the role already" : null}
          >
            Save role
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

export function RemoveMemberDialog({ slug, member, onClose }: MemberDialogProps) {
  const me = useMe();
  const changed = useMembersChanged(slug);
  const remove = useMutation({
    mutationFn: () => api.removeMember(slug, member.id),
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  return (
    <Dialog title={`Remove ${memberName(member)}`} onClose={onClose}>
      <p>
        From the next request on the project is not there any more for{" "}
        {member.user_id === me.id ? "you" : "this member"}, nor for the account's API keys. The account itself stays,
        and so does what it did here.
      </p>
      {remove.isError ? <Refusal>Nobody was removed. {wordsOf(remove.error)}</Refusal> : null}
      <DialogFoot leave="Keep the member" onLeave={onClose}>
        <ActButton isDanger error={remove.error} isBusy={remove.isPending} onAct={() => remove.mutate()}>
          Remove member
        </ActButton>
      </DialogFoot>
    </Dialog>
  );
}
