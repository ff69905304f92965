import type { UserAdminPublic } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useState } from "react";
import { paths } from "../../address/paths.ts";
import { adminPages } from "../../shell/pages.ts";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../ui/buttons/MenuEntry.tsx";
import { Glyph, Icon } from "../../ui/Icon.tsx";
import { Menu } from "../../ui/layers/Layers.tsx";
import { Empty } from "../../ui/panels/Feedback.tsx";
import { NotForRole } from "../../ui/panels/NotForRole.tsx";
import { PageTabs } from "../../ui/panels/PageTabs.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import { Age, Stamp } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { useMe } from "../sessions/index.ts";
import { ActivityDialog, DeleteUserDialog, ResetPasswordDialog } from "./AccountDialogs.tsx";
import { accountGuard } from "./account-guards.ts";
import { usersPerPage, usersQuery } from "./queries.ts";
import { UserDrawer } from "./UserDrawer.tsx";
import { UserKeysDialog } from "./UserKeysDialog.tsx";
import css from "./users.module.css";
import { readUsersSearch } from "./users-search.ts";

/** The accounts of this server, for its administrators. */
export function UsersPage() {
  usePage([{ label: "Projects", href: paths.home() }, { label: "Users" }]);
  const me = useMe();
  if (!me.is_admin) {
    return (
      <NotForRole title="Users">
        Accounts are kept by administrators of the instance. Who belongs to a project stands in its settings, under
        Members.
      </NotForRole>
    );
  }
  return <UserList />;
}

function UserList() {
  const me = useMe();
  const { page: wanted = 1 } = useLocation({ select: ({ search }) => readUsersSearch(search) });
  const page = useDeferredValue(wanted);
  const read = useSuspenseQuery(usersQuery(page));
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const { users, hasMore } = read.data;
  const isAll = page === 1 && !hasMore;
  const first = (page - 1) * usersPerPage + 1;

  return (
    <>
      <div className={panel.head}>
        <h1>Users</h1>
        <span className="t3 grow">
          {users.length === 0
            ? ""
            : isAll
              ? `${users.length} ${users.length === 1 ? "account" : "accounts"}`
              : `${first} to ${first + users.length - 1}, newest first`}
        </span>
        <Button variant="main" onClick={() => setDialog(<UserDrawer onClose={close} />)} icon="plus">
          New account
        </Button>
      </div>
      <PageTabs label="Instance" pages={adminPages} current={paths.users()} />
      <StaleLine name="The accounts" read={read} />
      {users.length === 0 ? (
        <Empty title="No account on this page" chips={<ButtonLink href={paths.users()}>First page</ButtonLink>}>
          <p>There are fewer accounts than the address says.</p>
        </Empty>
      ) : (
        <ScrollBox label="Users">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>Account</th>
                <th>State</th>
                <th className="lg">In the instance</th>
                <th className="lg">Time zone</th>
                <th className="num lg">Last signed in</th>
                <th className="num lg">Made</th>
                <th className={panel.acts}>
                  <span className="vh">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((user) => (
                <UserRow
                  key={user.id}
                  user={user}
                  isMe={user.id === me.id}
                  guard={accountGuard(user, { me, users, isAll })}
                  show={setDialog}
                />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {isAll ? null : (
        <nav className={css.pages} aria-label="Pages of accounts">
          {page > 1 ? (
            <ButtonLink href={paths.users(page - 1)} icon="prev">
              Newer
            </ButtonLink>
          ) : null}
          <span className="t2">Page {page}</span>
          {hasMore ? (
            <ButtonLink href={paths.users(page + 1)}>
              Older
              <Icon name="right" />
            </ButtonLink>
          ) : null}
        </nav>
      )}
      {dialog}
    </>
  );
}

interface UserRowProps {
  user: UserAdminPublic;
  isMe: boolean;
  /** Why the account cannot be taken away. */
  guard: string | null;
  show: (dialog: ReactNode) => void;
}

function UserRow({ user, isMe, guard, show }: UserRowProps) {
  const close = () => show(null);
  const name = nameText(user.display_name || user.email);
  return (
    <tr>
      <td className={`${panel.two} ${panel.named}`}>
        <b>{name}</b>
        {isMe ? <span className="t3"> (you)</span> : null}
        <small>
          {printable(user.email)}
          <span className="sm">{user.is_admin ? ", administrator" : ""}</span>
        </small>
      </td>
      <td>
        <span className={css.state} data-active={user.is_active}>
          <Glyph name={user.is_active ? "success" : "revoked"} />
          {user.is_active ? "active" : "inactive"}
        </span>
      </td>
      <td className="lg">{user.is_admin ? "administrator" : <span className="t3">user</span>}</td>
      <td className="lg t2">{user.timezone}</td>
      <td className="num lg">
        <Age at={user.last_login_at} suffix=" ago" />
      </td>
      <td className="num lg t2">
        <Stamp at={user.created_at} to="minute" />
      </td>
      <td className={panel.acts}>
        <Menu
          label={`Actions of ${name}`}
          variant="icon"
          buttonLabel={`Actions of ${name}`}
          button={<Icon name="more" />}
        >
          {() => (
            <>
              <MenuEntry icon="settings" onAct={() => show(<UserDrawer user={user} guard={guard} onClose={close} />)}>
                Edit
              </MenuEntry>
              <MenuEntry icon="lock" onAct={() => show(<ResetPasswordDialog user={user} onClose={close} />)}>
                Reset password
              </MenuEntry>
              <MenuEntry icon="key" onAct={() => show(<UserKeysDialog user={user} onClose={close} />)}>
                API keys
              </MenuEntry>
              <MenuEntry
                icon={user.is_active ? "pause" : "play"}
                reason={user.is_active ? guard : null}
                onAct={() => show(<ActivityDialog user={user} onClose={close} />)}
              >
                {user.is_active ? "Deactivate" : "Activate"}
              </MenuEntry>
              <MenuEntry
                icon="trash"
                reason={guard}
                onAct={() => show(<DeleteUserDialog user={user} onClose={close} />)}
              >
                Delete
              </MenuEntry>
            </>
          )}
        </Menu>
      </td>
    </tr>
  );
}
