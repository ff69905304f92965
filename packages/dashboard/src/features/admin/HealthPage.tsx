import type { DeepHealth, HealthCheck, SettingRow, SystemFacts } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { useTimedMs } from "../../live/live.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { copyText } from "../../ui/buttons/CopyButton.tsx";
import { Panel } from "../../ui/panels/Panel.tsx";
import { FactList } from "../../ui/panels/PanelFacts.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary, type ReadResult } from "../../ui/panels/QueryBoundary.tsx";
import { HealthPill } from "../../ui/StatePill.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { readAs } from "../sessions/index.ts";
import { AdminFrame } from "./AdminFrame.tsx";
import css from "./admin.module.css";
import { diagnosticBundle } from "./diagnostics.ts";
import { deepHealthQuery, settingsQuery, systemQuery } from "./queries.ts";

export const loader: PageLoader = () =>
  readAs(
    (me) => me.is_admin,
    () => Promise.all([readAhead(deepHealthQuery), readAhead(systemQuery), readAhead(settingsQuery)]),
  );

export function HealthPage() {
  return <AdminFrame title="Health">{() => <Health />}</AdminFrame>;
}

const everyMs = 15_000;

function Health() {
  const deep = useQuery({ ...deepHealthQuery, refetchInterval: useTimedMs(everyMs) });
  const system = useQuery(systemQuery);
  const settings = useQuery(settingsQuery).data?.settings;
  return (
    <QueryBoundary name="Health" read={deep}>
      {(health) => <Checks health={health} readAtMs={deep.dataUpdatedAt} system={system} settings={settings} />}
    </QueryBoundary>
  );
}

interface ChecksProps {
  health: DeepHealth;
  readAtMs: number;
  system: ReadResult<SystemFacts>;
  settings: readonly SettingRow[] | undefined;
}

function Checks({ health, readAtMs, system, settings }: ChecksProps) {
  const lastOk = useLastOk(health, readAtMs);
  const { status, checks, coverage } = health;
  const bundle = () => diagnosticBundle({ at: new Date(), health, system: system.data, settings });
  return (
    <>
      <div className={css.tools}>
        <HealthPill status={status} />
        <span className="t2 grow">{says[status]}</span>
        <CopyBundle bundle={bundle} />
      </div>
      <DataTable
        label="Subsystems"
        size="wide"
        rows={Object.entries(checks)}
        rowKey={([name]) => name}
        rowProps={([, check]) => (check.status === "failed" ? { className: panel.alarm } : {})}
        columns={[
          { header: "State", cell: ([, check]) => <HealthPill status={check.status} /> },
          { header: "Subsystem", isRowHeader: true, cell: ([name]) => printable(name.replaceAll("_", " ")) },
          {
            header: "Last ok",
            className: "lg",
            cellClass: "t2",
            cell: ([name, check]) => <LastOk isOk={check.status === "ok"} at={lastOk.get(name)} />,
          },
          { header: "Detail", cellClass: css.detail, cell: ([, check]) => detailOf(check) },
        ]}
      />
      <p className={`${panel.foot} ${css.foot}`}>
        Looked at every {everyMs / 1000} s; {printable(coverage.detail)}. “Last ok” is what this page has seen since it
        was opened.
      </p>
      <div className={panel.page}>
        <Panel title="System" window="the process that answers" read={system} rows={4}>
          {(facts) => <System facts={facts} />}
        </Panel>
      </div>
    </>
  );
}

const says = {
  ok: "Every subsystem answers.",
  degraded: "The service works, but something is not as it should be.",
  failed: "A subsystem failed. What rests on it does not work.",
} as const;

/** When this page saw each subsystem well for the last time. */
function useLastOk(health: DeepHealth, readAtMs: number): ReadonlyMap<string, string> {
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const well = Object.entries(health.checks).filter(([, { status }]) => status === "ok");
    setSeen((old) => new Map([...old, ...well.map(([name]) => [name, new Date(readAtMs).toISOString()] as const)]));
  }, [health, readAtMs]);
  return seen;
}

function LastOk({ isOk, at }: { isOk: boolean; at: string | undefined }) {
  if (isOk) return "now";
  return at === undefined ? <span className="t3">not since this page was opened</span> : <Age at={at} suffix=" ago" />;
}

function detailOf({ detail, latency_ms, revision, expected, activated, scope, verification }: HealthCheck): string {
  const last = verification?.last;
  const facts = [
    detail,
    latency_ms === undefined ? null : `answered in ${latency_ms} ms`,
    revision === undefined
      ? null
      : revision === expected
        ? `schema ${revision}`
        : `schema ${revision}, this program expects ${expected}`,
    activated === false ? "not begun" : null,
    scope === "state-only" ? "state only, rows not read" : scope,
    last === undefined ? null : `rows ${last.outcome} when last verified`,
  ];
  return printable(facts.filter(Boolean).join("; ")) || "nothing to add";
}

function System({ facts }: { facts: SystemFacts }) {
  const rows = [
    ["Version", facts.svc_version],
    ["Runtime", `${facts.runtime} ${facts.runtime_version}`],
    ["System", `${facts.os}, ${facts.architecture}`],
    ["Process", String(facts.pid)],
    [
      "Database",
      `${facts.database_type} ${facts.database_version}${facts.database_size_mb === undefined ? "" : `, ${facts.database_size_mb} MB`}`,
    ],
  ];
  return <FactList facts={rows.map(([name = "", value = ""]) => [name, printable(value)])} />;
}

function CopyBundle({ bundle }: { bundle: () => string }) {
  const [said, setSaid] = useState("");
  return (
    <>
      <Button
        title="Checks, system and settings as JSON; no secret and no credentials in it"
        onClick={async () => setSaid((await copyText(bundle())) ? "Copied" : "The browser refused to copy")}
        icon="copy"
      >
        Copy diagnostic bundle
      </Button>
      <span className="t2" role="status">
        {said}
      </span>
    </>
  );
}
