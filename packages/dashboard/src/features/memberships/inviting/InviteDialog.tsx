import type { InvitedAnswer, ProjectRole } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { conflictReason, faultsByField } from "../../../api/field-faults.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { RoleField } from "../RoleField.tsx";
import { memberRefusal } from "../roles.ts";
import css from "./invitations.module.css";
import { invitationsQuery } from "./queries.ts";

/** Invites an address in a role, then shows the link, this once. */
export function InviteDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("viewer");
  const [days, setDays] = useState("7");
  const invite = useMutation({
    mutationFn: () => api.createInvitation(slug, { email: email.trim(), role, ttl_days: Number(days) }),
    onSuccess: () => void client.invalidateQueries({ queryKey: invitationsQuery(slug).queryKey }),
    gcTime: 0,
  });
  const faults = faultsByField(invite.error);
  const isElsewhere = invite.isError && Object.keys(faults).length === 0;
  if (invite.data) return <InvitedDialog invited={invite.data} onClose={onClose} />;
  return (
    <Dialog title="Invite into the project" onClose={onClose}>
      <ActForm error={invite.error} className={controls.rows} onSubmit={() => invite.mutate()}>
        <Field
          label="Email"
          type="email"
          required
          maxLength={320}
          autoFocus
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          hint="With an account or without one; who has none makes it while accepting."
          error={faults.email}
        />
        <RoleField value={role} onChange={setRole} />
        <Field
          label="Works for, in days"
          type="number"
          required
          min={1}
          max={30}
          step={1}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          hint="1 to 30. The link works once."
          error={faults.ttl_days}
        />
        {isElsewhere ? (
          <Refusal>Nobody was invited. {memberRefusal(conflictReason(invite.error)) ?? causeOf(invite.error)}</Refusal>
        ) : null}
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton error={invite.error} isBusy={invite.isPending}>
            Invite as {role}
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

function InvitedDialog({ invited, onClose }: { invited: InvitedAnswer; onClose: () => void }) {
  const { invitation, email_sent: isSent } = invited;
  const email = printable(invitation.email);
  return (
    <OnceDialog
      title={`${email} is invited`}
      first="Keep the link first; it cannot be shown again"
      done={isSent ? "I have kept the link, or the mail is enough" : "I have kept the link, to hand it over"}
      onClose={onClose}
    >
      <p className={css.mail} data-sent={isSent}>
        <Glyph name={isSent ? "success" : "rejected"} />
        <span>
          {isSent
            ? `The mail server took a mail with this link to ${email}.`
            : "No mail was sent: the server has none set up, or its mail server did not take it. Hand the link over yourself."}
        </span>
      </p>
      <Snippet name="link" text={new URL(invited.accept_url_path, location.origin).href} />
      <p className="t2">
        Shown this once. It works once, until <Stamp at={invitation.expires_at} to="minute" />, and only for {email}.
      </p>
    </OnceDialog>
  );
}
