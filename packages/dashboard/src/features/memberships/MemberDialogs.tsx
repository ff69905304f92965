import type { Member, ProjectRole, UserAdminPublic } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-errors.ts";
import { Field } from "../../ui/forms/Field.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { printable } from "../../ui/time/format.ts";
import { useMe } from "../sessions/index.ts";
import { usersQuery } from "../users/index.ts";
import { membersQuery } from "./queries.ts";
import { RoleField } from "./RoleField.tsx";
import { memberRefusal } from "./roles.ts";
import { findUserByEmail } from "./user-by-email.ts";

/** Why a change to members or invitations was refused. */
export const memberErrorText = (error: unknown) => memberRefusal(conflictReason(error)) ?? causeOf(error);
export const memberName = (member: Member) => printable(member.user_display_name || member.user_email);

/** Changing one's own role changes what the shell shows. */
function useMembersChanged(slug: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: membersQuery(slug).queryKey });
    await client.invalidateQueries({ queryKey: ["me"] });
  };
}

class UnknownAddress extends Error {}

/** Gives an existing account a role in the project. Only instance administrators can search accounts. */
export function AddMemberDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const changed = useMembersChanged(slug);
  const id = useId();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("viewer");
  const known = useQuery(usersQuery(1)).data?.users ?? [];
  const add = async () => {
    const user = await findUserByEmail(email, (limit, offset) => api.listUsers({ limit, offset }));
    if (user === null) throw new UnknownAddress();
    return api.addMember(slug, { user_id: user.id, role });
  };
  return (
    <FormDialog
      title="Add member"
      act="Add member"
      send={add}
      onDone={changed}
      undone="No one was added."
      errorText={memberErrorText}
      errorsOf={addressError}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label="Account email"
            type="email"
            required
            list={id}
            maxLength={320}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errors.email}
          />
          <datalist id={id}>
            {known.filter(isActive).map((user) => (
              <option key={user.id} value={user.email}>
                {user.display_name}
              </option>
            ))}
          </datalist>
          <RoleField value={role} onChange={setRole} />
        </>
      )}
    </FormDialog>
  );
}

function addressError(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof UnknownAddress) return { email: "No account has this address. Send an invitation instead." };
  return conflictReason(error) === "already_member" ? { email: memberErrorText(error) } : {};
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
  const losesAdmin = member.user_id === me.id && !me.is_admin && role !== "admin";
  return (
    <FormDialog
      title={`Change role of ${memberName(member)}`}
      act="Change role"
      reason={role === member.role ? "Already has this role" : null}
      send={() => api.changeMember(slug, member.id, { role })}
      onDone={changed}
      undone="The role was not changed."
      errorText={memberErrorText}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
      <p className="t2">Takes effect with the member's next request.</p>
      {losesAdmin ? <p>This is your own role. Only another admin can restore it.</p> : null}
    </FormDialog>
  );
}

export function RemoveMemberDialog({ slug, member, onClose }: MemberDialogProps) {
  const me = useMe();
  const changed = useMembersChanged(slug);
  return (
    <FormDialog
      title={`Remove ${memberName(member)}`}
      act="Remove member"
      isDanger
      send={() => api.removeMember(slug, member.id)}
      onDone={changed}
      undone="No one was removed."
      errorText={memberErrorText}
      onClose={onClose}
    >
      <p>
        {member.user_id === me.id ? "You and your" : "This member and the account's"} API keys lose access to the
        project immediately. The account and its history are kept.
      </p>
    </FormDialog>
  );
}
