import type { Member } from "@svc/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { paths } from "../../address/paths.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../ui/buttons/MenuEntry.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu } from "../../ui/layers/Layers.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { projectQuery, SettingsTabs } from "../projects/index.ts";
import { useIsProjectAdmin, useMe } from "../sessions/index.ts";
import { InvitationsPanel } from "./inviting/InvitationsPanel.tsx";
import { InviteDialog } from "./inviting/InviteDialog.tsx";
import { AddMemberDialog, ChangeRoleDialog, memberName, RemoveMemberDialog } from "./MemberDialogs.tsx";
import css from "./members.module.css";
import { membersQuery } from "./queries.ts";
import { lastAdminGuard } from "./roles.ts";

const needsAdmin = "Needs the admin role in this project";
const needsInstance =
  "Only administrators of the instance can look accounts up. Invite the address: that works for who has an account, too.";

/** Who belongs to the project, in which role, and who is invited. */
export function MembersPage() {
  const { slug = "" } = useParams({ strict: false });
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Members" }]);
  const read = useSuspenseQuery(membersQuery(slug));
  const project = useQuery(projectQuery(slug));
  const me = useMe();
  const isAdmin = useIsProjectAdmin(slug);
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const members = read.data.items;
  const isArchived = project.data?.is_active === false;
  const held = !isAdmin ? needsAdmin : isArchived ? "The project is archived; restore it first" : null;
  const addHeld = held ?? (me.is_admin ? null : needsInstance);

  return (
    <>
      <div className={panel.head}>
        <h1>Members</h1>
        <span className="t3 grow">
          {members.length} {members.length === 1 ? "member" : "members"}; administrators of the instance act as admin
          everywhere
        </span>
        <Button disabledReason={addHeld} onClick={() => setDialog(<AddMemberDialog slug={slug} onClose={close} />)}>
          Add a user
        </Button>
        <Button
          variant="main"
          disabledReason={held}
          onClick={() => setDialog(<InviteDialog slug={slug} onClose={close} />)}
          icon="plus"
        >
          Invite
        </Button>
      </div>
      <SettingsTabs slug={slug} current="members" />
      <StaleLine name="The members" read={read} />
      <ScrollBox label="Members">
        <table className={`${panel.tbl} ${panel.wide}`}>
          <thead>
            <tr>
              <th>Member</th>
              <th>Role</th>
              <th className="num lg">Since</th>
              <th className={panel.acts}>
                <span className="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <tr key={member.id}>
                <td className={`${panel.two} ${panel.named}`}>
                  <b>{nameText(member.user_display_name || member.user_email)}</b>
                  {member.user_id === me.id ? <span className="t3"> (you)</span> : null}
                  <small>{printable(member.user_email)}</small>
                </td>
                <td className={css.role}>
                  <b>{member.role}</b>
                </td>
                <td className="num lg t2">
                  <Stamp at={member.created_at} to="minute" />
                </td>
                <td className={panel.acts}>
                  <MemberMenu
                    slug={slug}
                    member={member}
                    held={held}
                    guard={lastAdminGuard(member, members)}
                    show={setDialog}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {isAdmin ? <InvitationsPanel slug={slug} members={members} held={held} /> : null}
      {dialog}
    </>
  );
}

interface MemberMenuProps {
  slug: string;
  member: Member;
  /** Why nothing can be changed here at all. */
  held: string | null;
  /** Why this member's role cannot be taken away. */
  guard: string | null;
  show: (dialog: ReactNode) => void;
}

function MemberMenu({ slug, member, held, guard, show }: MemberMenuProps) {
  const name = memberName(member);
  const about = { slug, member, onClose: () => show(null) };
  return (
    <Menu label={`Actions of ${name}`} variant="icon" buttonLabel={`Actions of ${name}`} button={<Icon name="more" />}>
      {() => (
        <>
          <MenuEntry icon="users" reason={held ?? guard} onAct={() => show(<ChangeRoleDialog {...about} />)}>
            Change role
          </MenuEntry>
          <MenuEntry icon="trash" reason={held ?? guard} onAct={() => show(<RemoveMemberDialog {...about} />)}>
            Remove
          </MenuEntry>
        </>
      )}
    </Menu>
  );
}
