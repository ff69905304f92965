import { type AgentStatusSample, plural } from "@svc/client";
import { useIsPhone } from "../../../ui/appearance.ts";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { age, count } from "../../../ui/time/format.ts";
import { spanText, useZone } from "../../../ui/time/instants.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import css from "../agents.module.css";
import { Steps } from "../connecting/Steps.tsx";
import { type SampleLine, sampleLines, seenSessions } from "./samples.ts";

const sessionsShown = 8;

/** Buffer and connection in the last samples, as small charts and as a table. */
export function SamplesPanel({ samples }: { samples: readonly AgentStatusSample[] }) {
  const shown = samples.slice(0, useIsPhone() ? 4 : 8);
  return (
    <PanelFrame title="Buffer and connection" note={`last ${plural(samples.length, "sample")}`}>
      {samples.length === 0 ? (
        <p className={panel.foot}>
          No samples yet. Agents send one with each heartbeat, unless status samples are turned off.
        </p>
      ) : (
        <>
          <dl className={css.multiples}>
            {sampleLines(samples).map((line) => (
              <div key={line.key}>
                <dt>{line.label}</dt>
                <dd>
                  <b>{valueText(line, line.values.at(-1) ?? null)}</b>
                  <Steps steps={line.values.map((value) => value ?? 0)} label={lineLabel(line)} isBad={false} />
                </dd>
              </div>
            ))}
          </dl>
          <details className={`${css.help} ${panel.inner}`}>
            <summary>Show the newest {shown.length} as a table</summary>
            <DataTable
              label="Status samples"
              size="dense"
              columns={sampleColumns}
              rows={shown}
              rowKey={({ id }) => String(id)}
            />
          </details>
        </>
      )}
    </PanelFrame>
  );
}

function valueText(line: SampleLine, value: number | null): string {
  if (value === null) return "not reported";
  return line.unit === "seconds" ? age(value * 1000) : count(value);
}

function lineLabel(line: SampleLine): string {
  const known = line.values.filter((value) => value !== null);
  if (known.length === 0) return `${line.label}: not reported in these samples`;
  return `${line.label}: ${valueText(line, known.at(-1) ?? null)} now, at most ${valueText(line, Math.max(...known))}`;
}

const sampleColumns: readonly Column<AgentStatusSample>[] = [
  { header: "At", cell: ({ captured_at: at }) => <Stamp at={at} /> },
  { header: "In buffer", className: "num", cell: ({ payload }) => payload.buffer_depth ?? "–" },
  { header: "Oldest", className: "num", cell: ({ payload }) => secondsText(payload.buffer_oldest_age_seconds) },
  { header: "Failed connects", className: "num", cell: ({ payload }) => payload.connection_failure_streak ?? "–" },
  { header: "Session", className: "num", cell: ({ payload }) => secondsText(payload.current_session_age_seconds) },
];

const secondsText = (seconds: number | undefined): string => (seconds === undefined ? "–" : age(seconds * 1000));

/** The connections seen in the samples, newest first. */
export function SessionsPanel({ samples, isOnline }: { samples: readonly AgentStatusSample[]; isOnline: boolean }) {
  const { zone } = useZone();
  const sessions = seenSessions(samples);
  if (sessions.length === 0) return null;
  return (
    <PanelFrame title="Connections" note={`seen in the last ${plural(samples.length, "sample")}`}>
      <ul className={css.sessions}>
        {sessions.slice(0, sessionsShown).map((session, at) => (
          <li key={session.startedMs}>
            <span>
              {at === 0 && isOnline
                ? `since ${spanText(session.startedMs, session.startedMs, zone)}`
                : spanText(session.startedMs, session.lastMs, zone)}
            </span>
            <span className="t3">
              {age(session.lastMs - session.startedMs)}
              {session.failedBefore ? `, after ${plural(session.failedBefore, "failed attempt")}` : ""}
            </span>
          </li>
        ))}
      </ul>
      {sessions.length > sessionsShown ? (
        <p className={panel.foot}>And {sessions.length - sessionsShown} earlier.</p>
      ) : null}
    </PanelFrame>
  );
}
