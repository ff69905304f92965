import { plural, type UserAdminPublic } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { adminPages } from "../../shell/pages.ts";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../ui/buttons/MenuEntry.tsx";
import { Glyph, Icon } from "../../ui/Icon.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import { NotForRole } from "../../ui/panels/NotForRole.tsx";
import { PageTabs } from "../../ui/panels/PageTabs.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { menuColumn } from "../../ui/tables/menu-column.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import { Age, Stamp } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { readAs, useMe } from "../sessions/index.ts";
import { ActivityDialog, DeleteUserDialog, ResetPasswordDialog } from "./AccountDialogs.tsx";
import { accountGuard } from "./account-guards.ts";
import { usersPerPage, usersQuery } from "./queries.ts";
import { UserDrawer } from "./UserDrawer.tsx";
import { UserKeysDialog } from "./UserKeysDialog.tsx";
import css from "./users.module.css";
import { readUsersSearch } from "./users-search.ts";

export const loader: PageLoader = ({ location }) =>
  readAs(
    (me) => me.is_admin,
    () => readAhead(usersQuery(readUsersSearch(location.search).page ?? 1)),
  );

/** The accounts of this server, for its administrators. */
export function UsersPage() {
  usePage([["Projects", paths.home()], ["Users"]]);
  const me = useMe();
  if (!me.is_admin) {
    return (
      <NotForRole title="Users">
        Accounts are managed by instance administrators. For the members of a project, see Members in its settings.
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

  const columns = [
    ...columnsOf(me.id),
    menuColumn(userName, (user) => {
      const guard = accountGuard(user, { me, users, isAll });
      return (
        <>
          <MenuEntry icon="settings" onAct={() => setDialog(<UserDrawer user={user} guard={guard} onClose={close} />)}>
            Edit
          </MenuEntry>
          <MenuEntry icon="lock" onAct={() => setDialog(<ResetPasswordDialog user={user} onClose={close} />)}>
            Reset password
          </MenuEntry>
          <MenuEntry icon="key" onAct={() => setDialog(<UserKeysDialog user={user} onClose={close} />)}>
            API keys
          </MenuEntry>
          <MenuEntry
            icon={user.is_active ? "pause" : "play"}
            reason={user.is_active ? guard : null}
            onAct={() => setDialog(<ActivityDialog user={user} onClose={close} />)}
          >
            {user.is_active ? "Deactivate" : "Activate"}
          </MenuEntry>
          <MenuEntry
            icon="trash"
            reason={guard}
            onAct={() => setDialog(<DeleteUserDialog user={user} onClose={close} />)}
          >
            Delete
          </MenuEntry>
        </>
      );
    }),
  ];

  return (
    <>
      <div className={panel.head}>
        <h1>Users</h1>
        <span className="t3 grow">
          {users.length === 0
            ? ""
            : isAll
              ? plural(users.length, "account")
              : `${first}–${first + users.length - 1}, newest first`}
        </span>
        <Button variant="main" onClick={() => setDialog(<UserDrawer onClose={close} />)} icon="plus">
          Create account
        </Button>
      </div>
      <PageTabs label="Instance" pages={adminPages} current={paths.users()} />
      <StaleLine name="The accounts" read={read} />
      {users.length === 0 ? (
        <Empty title="No accounts on this page" chips={<ButtonLink href={paths.users()}>First page</ButtonLink>}>
          <p>This page is past the end of the list.</p>
        </Empty>
      ) : (
        <div className={panel.narrow}>
          <DataTable label="Users" size="wide" rows={users} rowKey={({ id }) => id} columns={columns} />
        </div>
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

const columnsOf = (ownId: string): readonly Column<UserAdminPublic>[] => [
  {
    header: "Account",
    cellClass: panel.named,
    cell: (user) => (
      <>
        <b>{userName(user)}</b>
        {user.id === ownId ? <span className="t3"> (you)</span> : null}
      </>
    ),
    small: (user) => (
      <>
        {printable(user.email)}
        <span className="sm">{user.is_admin ? ", administrator" : ""}</span>
      </>
    ),
  },
  {
    header: "State",
    cell: ({ is_active: isActive }) => (
      <span className={css.state} data-active={isActive}>
        <Glyph name={isActive ? "success" : "revoked"} />
        {isActive ? "active" : "inactive"}
      </span>
    ),
  },
  {
    header: "Instance role",
    className: "lg",
    cell: (user) => (user.is_admin ? "administrator" : <span className="t3">user</span>),
  },
  { header: "Time zone", className: "lg", cellClass: "t2", cell: (user) => user.timezone },
  { header: "Last signed in", className: "num lg", cell: (user) => <Age at={user.last_login_at} suffix=" ago" /> },
  {
    header: "Created",
    className: "num lg",
    cellClass: "t2",
    cell: (user) => <Stamp at={user.created_at} to="minute" />,
  },
];

const userName = (user: UserAdminPublic): string => nameText(user.display_name || user.email);
