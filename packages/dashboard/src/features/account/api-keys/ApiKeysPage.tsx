import type { ApiKey } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../../ui/buttons/MenuEntry.tsx";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { Menu } from "../../../ui/layers/Layers.tsx";
import { Empty } from "../../../ui/panels/Feedback.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Age, Stamp } from "../../../ui/time/Stamp.tsx";
import { usePage } from "../../../ui/title.ts";
import { AccountNav } from "../AccountNav.tsx";
import css from "./api-keys.module.css";
import { AddressesDialog, RevokeKeyDialog } from "./KeyDialogs.tsx";
import { MintKeyDialog } from "./MintKeyDialog.tsx";
import { apiKeysQuery } from "./queries.ts";

/** The caller's own keys, with which scripts call the API. */
export function ApiKeysPage() {
  usePage([{ label: "Projects", href: paths.home() }, { label: "API keys" }]);
  const read = useSuspenseQuery(apiKeysQuery);
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = () => setDialog(null);
  const keys = read.data;

  const mint = (
    <Button variant="main" onClick={() => setDialog(<MintKeyDialog onClose={close} />)} icon="plus">
      Mint key
    </Button>
  );
  return (
    <>
      <div className={panel.head}>
        <h1>API keys</h1>
        <span className="t3 grow">
          {keys.length === 0 ? "" : "Yours. A key never does more than you may do at that moment."}
        </span>
        {keys.length === 0 ? null : mint}
      </div>
      <AccountNav />
      <StaleLine name="The keys" read={read} />
      {keys.length === 0 ? (
        <Empty title="No API key yet">
          <p>
            A key lets a script call the API as you, without a session. Give each script one of its own, with the fewest
            scopes, an end, and ranges where addresses are fixed.
          </p>
          {mint}
        </Empty>
      ) : (
        <ScrollBox label="API keys">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>Key</th>
                <th className="lg">May do</th>
                <th className="lg">Bound to</th>
                <th className="lg">Used from</th>
                <th className="num lg">Last used</th>
                <th className="num">Works until</th>
                <th className={panel.acts}>
                  <span className="vh">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  onAddresses={() => setDialog(<AddressesDialog apiKey={key} onClose={close} />)}
                  onRevoke={() => setDialog(<RevokeKeyDialog apiKey={key} onClose={close} />)}
                />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {dialog}
    </>
  );
}

function KeyRow({ apiKey, onAddresses, onRevoke }: { apiKey: ApiKey; onAddresses: () => void; onRevoke: () => void }) {
  const { name, prefix, scopes, project_slug: slug, allowed_cidrs: cidrs } = apiKey;
  const [first, ...others] = cidrs ?? [];
  return (
    <tr>
      <td className={`${panel.two} ${panel.named}`}>
        <b>{nameText(name)}</b>
        <small>
          <span className="mono">{prefix}…</span>
          <span className="sm">
            {" "}
            {scopes.length} {scopes.length === 1 ? "scope" : "scopes"}
            {slug === null ? "" : `, only ${slug}`}
          </span>
        </small>
      </td>
      <td className={`lg ${css.cell}`}>
        {scopes.map((scope) => (
          <span key={scope} className={controls.tag}>
            {printable(scope)}
          </span>
        ))}
      </td>
      <td className="lg">
        {slug === null ? (
          <span className="t3">no project</span>
        ) : (
          <AppLink href={paths.project(slug)}>{printable(slug)}</AppLink>
        )}
      </td>
      <td className="lg" title={cidrs?.join("\n")}>
        {first === undefined ? (
          <span className="t3">everywhere</span>
        ) : (
          <>
            <code>{first}</code>
            {others.length === 0 ? null : <span className="t3"> and {others.length} more</span>}
          </>
        )}
      </td>
      <td className={`num lg ${panel.two}`}>
        <Age at={apiKey.last_used_at} suffix=" ago" />
        {apiKey.last_used_ip === null ? null : <small>from {apiKey.last_used_ip}</small>}
      </td>
      <td className="num">
        <Until at={apiKey.expires_at} />
      </td>
      <td className={panel.acts}>
        <Menu
          label={`Actions of ${nameText(name)}`}
          variant="icon"
          buttonLabel={`Actions of ${nameText(name)}`}
          button={<Icon name="more" />}
        >
          {() => (
            <>
              <MenuEntry icon="funnel" onAct={onAddresses}>
                Change addresses
              </MenuEntry>
              <MenuEntry icon="trash" onAct={onRevoke}>
                Revoke
              </MenuEntry>
            </>
          )}
        </Menu>
      </td>
    </tr>
  );
}

/** The day and minute: seconds of an end in months tell nothing. */
function Until({ at }: { at: string | null }) {
  return at === null ? <span className="t3">no end</span> : <Stamp at={at} to="minute" />;
}
