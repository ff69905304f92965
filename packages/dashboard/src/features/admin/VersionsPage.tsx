import type { KnownVersions, SystemFacts } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../api/api.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { FactList } from "../../ui/panels/PanelFacts.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { readAs } from "../sessions/index.ts";
import { AdminFrame } from "./AdminFrame.tsx";
import css from "./admin.module.css";
import { knownVersionsQuery, systemQuery } from "./queries.ts";
import { UrlText } from "./UrlText.tsx";
import { statusOf, versionStatuses } from "./versions.ts";

export const loader: PageLoader = () =>
  readAs(
    (me) => me.is_admin,
    () => Promise.all([readAhead(knownVersionsQuery), readAhead(systemQuery)]),
  );

export function VersionsPage() {
  return <AdminFrame title="Versions">{() => <Versions />}</AdminFrame>;
}

function Versions() {
  const known = useQuery(knownVersionsQuery);
  const system = useQuery(systemQuery);
  const both = {
    data: known.data && system.data && { known: known.data, system: system.data },
    error: known.error ?? system.error,
    refetch: () => Promise.all([known.refetch(), system.refetch()]),
  };
  return (
    <QueryBoundary name="Versions" read={both}>
      {(read) => (
        <div className={`${panel.page} ${panel.narrow}`}>
          <div className={panel.stack}>
            <Packages {...read} />
            <Manifest known={read.known} />
          </div>
        </div>
      )}
    </QueryBoundary>
  );
}

function Packages({ known, system }: { known: KnownVersions; system: SystemFacts }) {
  const here: Record<string, string> = { "@svc/brain": system.svc_version, ...system.packages };
  const names = [...new Set([...Object.keys(known.packages).sort(), ...Object.keys(here).sort()])];
  return (
    <PanelFrame title="Packages" note={`this server: version ${printable(system.svc_version)}`}>
      <DataTable
        label="Packages"
        rows={names.map((name) => ({ name, installed: here[name], newest: known.packages[name] }))}
        rowKey={({ name }) => name}
        columns={[
          {
            header: "Package",
            isRowHeader: true,
            cellClass: "mono",
            cell: ({ name }) => printable(name),
            small: ({ installed }) => (
              <span className="sm">{installed ? `${installed} installed` : "not installed"}</span>
            ),
          },
          {
            header: "Installed",
            className: "lg",
            cellClass: "mono",
            cell: ({ installed }) => installed ?? <span className="t3">not installed</span>,
          },
          {
            header: "Latest known",
            cellClass: "mono",
            cell: ({ newest }) => (newest === undefined ? <span className="t3">unknown</span> : printable(newest)),
          },
          {
            header: "Status",
            cell: ({ installed, newest }) => {
              const { label, glyph } = versionStatuses[statusOf(installed, newest)];
              return (
                <span className={css.status}>
                  <Glyph name={glyph} />
                  {label}
                </span>
              );
            },
          },
        ]}
      />
    </PanelFrame>
  );
}

function Manifest({ known }: { known: KnownVersions }) {
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: () => api.checkVersions(),
    onSuccess: (answer) => client.setQueryData(knownVersionsQuery.queryKey, answer),
  });
  const url = known.check_for_updates_url;
  return (
    <PanelFrame title="Update check">
      <FactList facts={manifestFacts(known)} />
      <div className={css.check}>
        {url === null ? (
          <p className="t2">
            Checking for newer versions is off. Set <code>SVC_VERSION_CHECK_URL</code> to the URL of a version manifest
            and restart the server to turn it on.
          </p>
        ) : (
          <>
            <p className="t2">
              The server requests <UrlText text={url} name="the URL of the check" /> once per check.
            </p>
            {check.isError ? <InlineAlert>Couldn't check for updates. {causeOf(check.error)}</InlineAlert> : null}
            <p role="status">{check.isSuccess ? "Checked." : null}</p>
            <ActButton error={check.error} isBusy={check.isPending} onAct={() => check.mutate()}>
              {check.isPending ? "Checking…" : "Check for updates"}
            </ActButton>
          </>
        )}
      </div>
    </PanelFrame>
  );
}

function manifestFacts(known: KnownVersions): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [
    ["Source", known.source === "bundled" ? "bundled with this release" : "last check"],
    ["Manifest format", known.schema_version],
    [
      "Generated",
      <span key="generated">
        {known.generated_at === null ? null : <Stamp at={known.generated_at} />} by {printable(known.generated_by)}
      </span>,
    ],
    ["Fetched", <Stamp key="fetched" at={known.fetched_at} none="never" />],
    [
      "Fetched from",
      known.fetched_from === null ? (
        <span key="from" className="t3">
          –
        </span>
      ) : (
        <UrlText key="from" text={known.fetched_from} name="the URL of the last check" />
      ),
    ],
  ];
  if (known.canonical_url !== null)
    facts.push(["Canonical URL", <code key="named">{printable(known.canonical_url)}</code>]);
  return facts;
}
