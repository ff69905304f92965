import type { InvitedAnswer, ProjectRole } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { memberErrorText } from "../MemberDialogs.tsx";
import { RoleField } from "../RoleField.tsx";
import css from "./invitations.module.css";
import { invitationsQuery } from "./queries.ts";

/** Invites an address with a role, then shows the link once. */
export function InviteDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("viewer");
  const [days, setDays] = useState("7");
  return (
    <FormDialog
      title="Invite member"
      act="Invite member"
      send={() => api.createInvitation(slug, { email: email.trim(), role, ttl_days: Number(days) })}
      onDone={() => void client.invalidateQueries({ queryKey: invitationsQuery(slug).queryKey })}
      answered={(invited) => <InvitedDialog invited={invited} onClose={onClose} />}
      undone="No one was invited."
      errorText={memberErrorText}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label="Email"
            type="email"
            required
            maxLength={320}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            hint="Someone without an account creates one when they accept."
            error={errors.email}
          />
          <RoleField value={role} onChange={setRole} />
          <Field
            label="Expires after (days)"
            type="number"
            required
            min={1}
            max={30}
            step={1}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
            hint="1–30 days. The link works once."
            error={errors.ttl_days}
          />
        </>
      )}
    </FormDialog>
  );
}

function InvitedDialog({ invited, onClose }: { invited: InvitedAnswer; onClose: () => void }) {
  const { invitation, email_sent: isSent } = invited;
  const email = printable(invitation.email);
  return (
    <OnceDialog
      title={`${email} is invited`}
      first="Save the link first. It can't be shown again"
      done={isSent ? "I've saved the link or don't need it" : "I've saved the link and will share it"}
      onClose={onClose}
    >
      <p className={css.mail} data-sent={isSent}>
        <Glyph name={isSent ? "success" : "rejected"} />
        <span>
          {isSent
            ? `An email with this link was sent to ${email}.`
            : "No email was sent: email isn't set up, or the mail server refused it. Share the link yourself."}
        </span>
      </p>
      <Snippet name="link" text={new URL(invited.accept_url_path, location.origin).href} />
      <p className="t2">
        Shown only once. The link works once, until <Stamp at={invitation.expires_at} to="minute" />, and only for{" "}
        {email}.
      </p>
    </OnceDialog>
  );
}
