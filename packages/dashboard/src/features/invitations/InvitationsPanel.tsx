import type { Invitation, Member } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-faults.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import controls from "../../ui/controls.module.css";
import { Dialog, dialogFoot } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import panel from "../../ui/panels/panel.module.css";
import { Refusal } from "../../ui/panels/Refusal.tsx";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { memberName } from "../memberships/MemberDialogs.tsx";
import { memberRefusal } from "../memberships/roles.ts";
import css from "./invitations.module.css";
import { invitationsQuery } from "./queries.ts";

interface InvitationsPanelProps {
  slug: string;
  members: readonly Member[];
  /** Why nothing can be changed; null when it can. */
  held: string | null;
}

/** Invitations that can still be accepted. */
export function InvitationsPanel({ slug, members, held }: InvitationsPanelProps) {
  const read = useQuery(invitationsQuery(slug));
  const [dialog, setDialog] = useState<ReactNode>(null);
  const inviter = (invitation: Invitation) => {
    const member = members.find(({ user_id }) => user_id === invitation.invited_by);
    return member ? memberName(member) : "an administrator";
  };
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
              <p>An invitation is a link that works once, for an address with an account or without one.</p>
            </PanelEmpty>
          )
        }
      >
        {({ items }) => (
          <ScrollBox label="Invitations">
            <table className={panel.tbl}>
              <thead>
                <tr>
                  <th>Address</th>
                  <th>Role</th>
                  <th className="lg">Invited by</th>
                  <th className="num lg">Works until</th>
                  <th className={panel.acts}>
                    <span className="vh">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((invitation) => (
                  <tr key={invitation.id}>
                    <td className={`${panel.two} ${panel.named}`}>
                      {printable(invitation.email)}
                      <small>
                        <span className="sm">
                          until <Stamp at={invitation.expires_at} to="minute" />
                        </span>
                      </small>
                    </td>
                    <td>{invitation.role}</td>
                    <td className="lg t2">{inviter(invitation)}</td>
                    <td className="num lg">
                      <Stamp at={invitation.expires_at} to="minute" />
                    </td>
                    <td className={panel.acts}>
                      <button
                        type="button"
                        className={controls.btn}
                        aria-label={`Revoke the invitation of ${printable(invitation.email)}`}
                        aria-disabled={held !== null}
                        title={held ?? undefined}
                        onClick={() =>
                          held === null &&
                          setDialog(
                            <RevokeDialog slug={slug} invitation={invitation} onClose={() => setDialog(null)} />,
                          )
                        }
                      >
                        Revoke
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        )}
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
  const revoke = useMutation({
    mutationFn: () => api.revokeInvitation(slug, invitation.id),
    onSuccess: () => {
      client.setQueryData(
        invitationsQuery(slug).queryKey,
        (old) => old && { items: old.items.filter(({ id }) => id !== invitation.id) },
      );
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke the invitation of ${printable(invitation.email)}`} onClose={onClose}>
      <p>Its link stops working at once. The address can be invited again.</p>
      {revoke.isError ? (
        <Refusal>Not revoked. {memberRefusal(conflictReason(revoke.error)) ?? causeOf(revoke.error)}</Refusal>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Keep it
        </button>
        <ActButton isDanger error={revoke.error} isBusy={revoke.isPending} onAct={() => revoke.mutate()}>
          Revoke invitation
        </ActButton>
      </div>
    </Dialog>
  );
}
