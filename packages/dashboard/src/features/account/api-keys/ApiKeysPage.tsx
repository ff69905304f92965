import { type ApiKey, plural } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../../ui/buttons/MenuEntry.tsx";
import controls from "../../../ui/controls.module.css";
import { Empty } from "../../../ui/panels/Lines.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { menuColumn } from "../../../ui/tables/menu-column.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Age, Stamp } from "../../../ui/time/Stamp.tsx";
import { usePage } from "../../../ui/title.ts";
import { AccountNav } from "../AccountNav.tsx";
import css from "./api-keys.module.css";
import { CreateKeyDialog } from "./CreateKeyDialog.tsx";
import { AddressesDialog, RevokeKeyDialog } from "./KeyDialogs.tsx";
import { apiKeysQuery } from "./queries.ts";

export const loader: PageLoader = () => readAhead(apiKeysQuery);

/** The user's own API keys. */
export function ApiKeysPage() {
  usePage([["Projects", paths.home()], ["API keys"]]);
  const read = useSuspenseQuery(apiKeysQuery);
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const keys = read.data;

  const mint = (
    <Button variant="main" onClick={() => setDialog(<CreateKeyDialog onClose={close} />)} icon="plus">
      Create key
    </Button>
  );
  return (
    <>
      <div className={panel.head}>
        <h1>API keys</h1>
        <span className="t3 grow">
          {keys.length === 0 ? "" : "Your keys. A key never has more access than you do."}
        </span>
        {keys.length === 0 ? null : mint}
      </div>
      <AccountNav />
      <StaleLine name="The API keys" read={read} />
      {keys.length === 0 ? (
        <Empty title="No API keys yet">
          <p>
            A key lets a script call the API as you, without a session. Give each script its own key with as few scopes
            as possible, an expiry, and allowed addresses if they are fixed.
          </p>
          {mint}
        </Empty>
      ) : (
        <DataTable
          label="API keys"
          size="wide"
          rows={keys}
          rowKey={({ id }) => id}
          columns={[
            ...columns,
            menuColumn<ApiKey>(
              ({ name }) => nameText(name),
              (key) => (
                <>
                  <MenuEntry icon="funnel" onAct={() => setDialog(<AddressesDialog apiKey={key} onClose={close} />)}>
                    Change addresses
                  </MenuEntry>
                  <MenuEntry icon="trash" onAct={() => setDialog(<RevokeKeyDialog apiKey={key} onClose={close} />)}>
                    Revoke
                  </MenuEntry>
                </>
              ),
            ),
          ]}
        />
      )}
      {dialog}
    </>
  );
}

const columns: readonly Column<ApiKey>[] = [
  {
    header: "Key",
    cellClass: panel.named,
    cell: ({ name }) => <b>{nameText(name)}</b>,
    small: ({ prefix, scopes, project_slug: slug }) => (
      <>
        <span className="mono">{prefix}…</span>
        <span className="sm">
          {" "}
          {plural(scopes.length, "scope")}
          {slug === null ? "" : `, project ${slug} only`}
        </span>
      </>
    ),
  },
  {
    header: "Scopes",
    className: "lg",
    cellClass: css.cell,
    cell: ({ scopes }) =>
      scopes.map((scope) => (
        <span key={scope} className={controls.tag}>
          {printable(scope)}
        </span>
      )),
  },
  {
    header: "Project",
    className: "lg",
    cell: ({ project_slug: slug }) =>
      slug === null ? <span className="t3">all</span> : <AppLink href={paths.project(slug)}>{printable(slug)}</AppLink>,
  },
  {
    header: "Allowed from",
    className: "lg",
    title: ({ allowed_cidrs: cidrs }) => cidrs?.join("\n"),
    cell: ({ allowed_cidrs: cidrs }) => <Addresses cidrs={cidrs ?? []} />,
  },
  {
    header: "Last used",
    className: "num lg",
    cell: ({ last_used_at: at }) => <Age at={at} suffix=" ago" />,
    small: ({ last_used_ip: ip }) => ip && `from ${ip}`,
  },
  { header: "Expires", className: "num", cell: ({ expires_at: at }) => <Until at={at} /> },
];

function Addresses({ cidrs: [first, ...others] }: { cidrs: readonly string[] }) {
  if (first === undefined) return <span className="t3">any address</span>;
  return (
    <>
      <code>{first}</code>
      {others.length === 0 ? null : <span className="t3"> and {others.length} more</span>}
    </>
  );
}

/** To the minute: keys last for months. */
function Until({ at }: { at: string | null }) {
  return at === null ? <span className="t3">no expiry</span> : <Stamp at={at} to="minute" />;
}
