import type { Invitation, Member } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../../api/api.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { memberErrorText, memberName } from "../MemberDialogs.tsx";
import css from "./invitations.module.css";
import { invitationsQuery } from "./queries.ts";

interface InvitationsPanelProps {
  slug: string;
  members: readonly Member[];
  /** Why nothing can be changed; null when it can. */
  disabledReason: string | null;
}

/** Invitations that can still be accepted. */
export function InvitationsPanel({ slug, members, disabledReason }: InvitationsPanelProps) {
  const read = useQuery(invitationsQuery(slug));
  const [dialog, setDialog] = useState<ReactNode>(null);
  const inviter = (invitation: Invitation) => {
    const member = members.find(({ user_id }) => user_id === invitation.invited_by);
    return member ? memberName(member) : "an administrator";
  };
  const columns: Column<Invitation>[] = [
    {
      header: "Email",
      cellClass: panel.named,
      cell: ({ email }) => printable(email),
      small: ({ expires_at: at }) => (
        <span className="sm">
          until <Stamp at={at} to="minute" />
        </span>
      ),
    },
    { header: "Role", cell: ({ role }) => role },
    { header: "Invited by", className: "lg", cellClass: "t2", cell: inviter },
    { header: "Expires", className: "num lg", cell: ({ expires_at: at }) => <Stamp at={at} to="minute" /> },
    {
      header: "Actions",
      isHeaderHidden: true,
      className: panel.acts,
      cell: (invitation) => (
        <Button
          aria-label={`Revoke invitation for ${printable(invitation.email)}`}
          disabledReason={disabledReason}
          onClick={() =>
            setDialog(<RevokeDialog slug={slug} invitation={invitation} onClose={() => setDialog(null)} />)
          }
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <div className={css.place}>
      <Panel
        title="Invitations"
        window="not accepted yet"
        read={read}
        rows={2}
        empty={({ items }) =>
          items.length > 0 ? null : (
            <PanelEmpty kind="none-yet">
              An invitation is a single-use link. The address may or may not have an account.
            </PanelEmpty>
          )
        }
      >
        {({ items }) => <DataTable label="Invitations" rows={items} rowKey={({ id }) => id} columns={columns} />}
      </Panel>
      {dialog}
    </div>
  );
}

interface RevokeDialogProps {
  slug: string;
  invitation: Invitation;
  onClose: () => void;
}

function RevokeDialog({ slug, invitation, onClose }: RevokeDialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={`Revoke invitation for ${printable(invitation.email)}`}
      act="Revoke invitation"
      isDanger
      send={() => api.revokeInvitation(slug, invitation.id)}
      onDone={() =>
        client.setQueryData(
          invitationsQuery(slug).queryKey,
          (old) => old && { items: old.items.filter(({ id }) => id !== invitation.id) },
        )
      }
      undone="The invitation was not revoked."
      errorText={memberErrorText}
      onClose={onClose}
    >
      <p>The link stops working immediately. You can invite the address again.</p>
    </FormDialog>
  );
}
