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
import { Pill, type PillStyle } from "../../ui/StatePill.tsx";
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
        <span className="t2 grow">{statusTexts[status]}</span>
        <CopyBundle bundle={bundle} />
      </div>
      <div className={panel.narrow}>
        <DataTable
          label="Subsystems"
          size="wide"
          rows={Object.entries(checks)}
          rowKey={([name]) => name}
          rowProps={([, check]) => (check.status === "failed" ? { className: panel.alarm } : {})}
          columns={[
            { header: "Status", cell: ([, check]) => <HealthPill status={check.status} /> },
            { header: "Subsystem", isRowHeader: true, cell: ([name]) => printable(name.replaceAll("_", " ")) },
            {
              header: "Last OK",
              className: "lg",
              cellClass: "t2",
              cell: ([name, check]) => <LastOk isOk={check.status === "ok"} at={lastOk.get(name)} />,
            },
            { header: "Detail", cellClass: css.detail, cell: ([, check]) => detailOf(check) },
          ]}
        />
        <p className={`${panel.foot} ${css.foot}`}>
          Checked every {everyMs / 1000} s. The server {printable(coverage.detail)}. “Last OK” counts from when you
          opened this page.
        </p>
        <div className={panel.page}>
          <Panel title="System" window="this server" read={system} rows={4}>
            {(facts) => <System facts={facts} />}
          </Panel>
        </div>
      </div>
    </>
  );
}

const healthStyles: Readonly<Record<string, PillStyle>> = {
  ok: { tone: "success", glyph: "success" },
  degraded: { tone: "retry", glyph: "half" },
  failed: { tone: "failure", glyph: "failure" },
};

function HealthPill({ status }: { status: string }) {
  return <Pill word={printable(status)} style={healthStyles[status] ?? { tone: "unknown", glyph: "unknown" }} />;
}

const statusTexts = {
  ok: "All subsystems are working.",
  degraded: "The service works, but a subsystem needs attention.",
  failed: "A subsystem failed. Features that depend on it don't work.",
} as const;

/** When this page last saw each subsystem OK. */
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
  return at === undefined ? <span className="t3">not since you opened this page</span> : <Age at={at} suffix=" ago" />;
}

function detailOf({ detail, latency_ms, revision, expected, activated, scope, verification }: HealthCheck): string {
  const last = verification?.last;
  const facts = [
    detail,
    latency_ms === undefined ? null : `${latency_ms} ms`,
    revision === undefined
      ? null
      : revision === expected
        ? `schema ${revision}`
        : `schema ${revision}, expected ${expected}`,
    activated === false ? "no entries yet" : null,
    scope === "state-only" ? "head valid, rows not verified" : scope,
    last === undefined ? null : `last row verification: ${last.outcome}`,
  ];
  return printable(facts.filter(Boolean).join(", ")) || "–";
}

function System({ facts }: { facts: SystemFacts }) {
  const rows = [
    ["Version", facts.svc_version],
    ["Runtime", `${facts.runtime} ${facts.runtime_version}`],
    ["Platform", `${facts.os}, ${facts.architecture}`],
    ["Process ID", String(facts.pid)],
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
        title="Checks, system and settings as JSON, without secrets or credentials"
        onClick={async () => setSaid((await copyText(bundle())) ? "Copied" : "Couldn't copy. The browser blocked it.")}
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
