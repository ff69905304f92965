import { type Member, plural } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../ui/buttons/MenuEntry.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { menuColumn } from "../../ui/tables/menu-column.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { SettingsTabs, useMayNotManage } from "../projects/index.ts";
import { useIsProjectAdmin, useMe } from "../sessions/index.ts";
import { InvitationsPanel } from "./inviting/InvitationsPanel.tsx";
import { InviteDialog } from "./inviting/InviteDialog.tsx";
import { AddMemberDialog, ChangeRoleDialog, memberName, RemoveMemberDialog } from "./MemberDialogs.tsx";
import css from "./members.module.css";
import { membersQuery } from "./queries.ts";
import { lastAdminGuard } from "./roles.ts";

const needsInstance =
  "Only instance administrators can add an account directly. Send an invitation instead; it also works for existing accounts.";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => readAhead(membersQuery(slug));

/** The members of a project with their roles, and open invitations. */
export function MembersPage() {
  const { slug = "" } = useParams({ strict: false });
  usePage([[slug, paths.project(slug)], ["Members"]]);
  const read = useSuspenseQuery(membersQuery(slug));
  const me = useMe();
  const isAdmin = useIsProjectAdmin(slug);
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const members = read.data.items;
  const disabledReason = useMayNotManage(slug);
  const addDisabledReason = disabledReason ?? (me.is_admin ? null : needsInstance);

  return (
    <>
      <div className={panel.head}>
        <h1>Members</h1>
        <span className="t3 grow">
          {plural(members.length, "member")}; instance administrators are admins of every project
        </span>
        <Button
          disabledReason={addDisabledReason}
          onClick={() => setDialog(<AddMemberDialog slug={slug} onClose={close} />)}
        >
          Add member
        </Button>
        <Button
          variant="main"
          disabledReason={disabledReason}
          onClick={() => setDialog(<InviteDialog slug={slug} onClose={close} />)}
          icon="plus"
        >
          Invite
        </Button>
      </div>
      <SettingsTabs slug={slug} current="members" />
      <StaleLine name="The members" read={read} />
      <div className={panel.narrow}>
        <DataTable
          label="Members"
          size="wide"
          rows={members}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Member",
              cellClass: panel.named,
              cell: (member) => (
                <>
                  <b>{nameText(member.user_display_name || member.user_email)}</b>
                  {member.user_id === me.id ? <span className="t3"> (you)</span> : null}
                </>
              ),
              small: (member) => printable(member.user_email),
            },
            { header: "Role", cellClass: css.role, cell: (member) => <b>{member.role}</b> },
            {
              header: "Since",
              className: "num lg",
              cellClass: "t2",
              cell: (member) => <Stamp at={member.created_at} to="minute" />,
            },
            menuColumn<Member>(memberName, (member) => {
              const about = { slug, member, onClose: close };
              const reason = disabledReason ?? lastAdminGuard(member, members);
              return (
                <>
                  <MenuEntry icon="users" reason={reason} onAct={() => setDialog(<ChangeRoleDialog {...about} />)}>
                    Change role
                  </MenuEntry>
                  <MenuEntry icon="trash" reason={reason} onAct={() => setDialog(<RemoveMemberDialog {...about} />)}>
                    Remove
                  </MenuEntry>
                </>
              );
            }),
          ]}
        />
        {isAdmin ? <InvitationsPanel slug={slug} members={members} disabledReason={disabledReason} /> : null}
      </div>
      {dialog}
    </>
  );
}
