import { type Latency, plural, type Trends } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import { OutcomeChart, OutcomeKey, type Outcomes } from "../../../ui/charts/OutcomeChart.tsx";
import { isMeasured, PercentileChart } from "../../../ui/charts/PercentileChart.tsx";
import { widthText } from "../../../ui/charts/parts/axis.ts";
import { type Band, type Bucket, type Mark, sinceFirst } from "../../../ui/charts/parts/marks.ts";
import { bucketWidthMs, type LatencyKind, latencyKinds, percentilesOf } from "../../../ui/charts/parts/percentiles.ts";
import { TableToggle } from "../../../ui/charts/TableToggle.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import { count, duration } from "../../../ui/time/format.ts";
import { useZone } from "../../../ui/time/instants.ts";
import css from "../overview.module.css";
import type { Window } from "../overview-queries.ts";

interface ChartPanelProps {
  window: Window;
  windowLabel: string;
  /** When the project was created: if that is within the window, the axes begin with its first event. */
  bornMs: number | undefined;
  bands: readonly Band[];
  marks: readonly Mark[];
  onRange: (fromMs: number, toMs: number) => void;
  onOpen: (bucket: Bucket, state?: "failure") => void;
}

/** The number of table rows that is about as high as a chart. */
const chartRows = 7;

export function OutcomePanel({
  query,
  window,
  windowLabel,
  bornMs,
  ...chart
}: ChartPanelProps & { query: UseQueryResult<Trends> }) {
  const [isTable, setTable] = useState(false);
  const { label: zoneLabel } = useZone();
  const { data } = query;
  const all = useMemo(() => (data ? outcomesOf(data) : []), [data]);
  const buckets = sinceFirst(all, { bornMs, bands: chart.bands, isFilled });
  const width = data ? `per ${widthText(bucketWidthMs[data.bucket])}, ` : "";
  const name = "Tasks by outcome";
  return (
    <Panel
      className={`${css.cell} ${css.wide}`}
      title={name}
      window={`${width}${windowLabel}, ${zoneLabel}`}
      actions={
        <>
          <OutcomeKey buckets={buckets} />
          <TableToggle name={name} isTable={isTable} onChange={setTable} />
        </>
      }
      read={query}
      rows={chartRows}
    >
      {() => (
        <div className={css.inner}>
          <OutcomeChart
            {...chart}
            name={name}
            summary={outcomeSummary(buckets, `${width}${windowLabel}`, chart)}
            buckets={buckets}
            isRunning={window.isOpen}
            isTable={isTable}
          />
        </div>
      )}
    </Panel>
  );
}

export function LatencyPanel({
  query,
  window,
  windowLabel,
  bornMs,
  onOpen,
  ...chart
}: ChartPanelProps & { query: UseQueryResult<Latency> }) {
  const [isTable, setTable] = useState(false);
  const [kind, setKind] = useState<LatencyKind>("run");
  const { data } = query;
  const all = useMemo(() => (data ? percentilesOf(data, kind) : []), [data, kind]);
  const buckets = sinceFirst(all, { bornMs, bands: chart.bands, isFilled: isMeasured });
  const name = kind === "run" ? "Run time" : "Waiting time";
  return (
    <Panel
      className={css.cell}
      title={name}
      window={`log scale, ${windowLabel}`}
      actions={
        <>
          <Segments legend="Duration" value={kind} options={latencyKinds} onChange={setKind} />
          <TableToggle name={name} isTable={isTable} onChange={setTable} />
        </>
      }
      read={query}
      rows={chartRows}
      empty={({ total }) =>
        total[kind] === null ? <p className={css.quiet}>No durations in this time range.</p> : null
      }
    >
      {({ total }) => (
        <div className={css.inner}>
          <PercentileChart
            {...chart}
            onOpen={(bucket) => onOpen(bucket)}
            name={name}
            summary={latencySummary(`${name}, ${windowLabel}`, total[kind], chart)}
            buckets={buckets}
            isRunning={window.isOpen}
            isTable={isTable}
          />
        </div>
      )}
    </Panel>
  );
}

function outcomesOf({ series, bucket }: Trends): Outcomes[] {
  return series.map(({ t, success, failure, retry, revoked, rejected }) => {
    const fromMs = Date.parse(t);
    return { fromMs, toMs: fromMs + bucketWidthMs[bucket], success, failure, retry, revoked, rejected };
  });
}

const isFilled = ({ success, failure, retry, revoked, rejected }: Outcomes) =>
  success + failure + retry + revoked + rejected > 0;

function outcomeSummary(
  buckets: readonly Outcomes[],
  window: string,
  notes: { bands: readonly Band[]; marks: readonly Mark[] },
): string {
  const totals = buckets.map((bucket) => bucket.success + bucket.retry + bucket.revoked + bucket.rejected);
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failure, 0);
  const mostFailed = Math.max(0, ...buckets.map((bucket) => bucket.failure));
  return `Tasks by outcome, ${window}: ${count(Math.min(...totals))} to ${count(Math.max(...totals))} per bucket without failures; ${count(failed)} failed in total, at most ${count(mostFailed)} per bucket, on a separate scale${noted(notes)}.`;
}

function latencySummary(
  what: string,
  total: Latency["total"][LatencyKind],
  notes: Parameters<typeof noted>[0],
): string {
  if (total === null) return what;
  const { p50, p95, p99 } = total;
  return `${what}, logarithmic: p50 ${duration(p50)}, p95 ${duration(p95)} and p99 ${duration(p99)} overall${noted(notes)}.`;
}

function noted({ bands, marks }: { bands: readonly Band[]; marks: readonly Mark[] }): string {
  const parts = [
    ...(bands.length > 0 ? [`events are missing in ${plural(bands.length, "place")}`] : []),
    ...marks.slice(-3).map((mark) => mark.label),
  ];
  return parts.length === 0 ? "" : `; ${parts.join(", ")}`;
}
