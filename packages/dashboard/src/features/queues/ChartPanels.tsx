import type { Percentiles as Measured, Queue } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { instantRange, rangeParams } from "../../address/range-bounds.ts";
import { useSetTimeRange, useTimeRange } from "../../address/time-range.ts";
import { useTimedMs } from "../../live/live.ts";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { AmountChart } from "../../ui/charts/AmountChart.tsx";
import { isMeasured, PercentileChart } from "../../ui/charts/PercentileChart.tsx";
import { sinceFirst } from "../../ui/charts/parts/marks.ts";
import { type LatencyKind, latencyKinds, percentilesOf } from "../../ui/charts/parts/percentiles.ts";
import { TableToggle } from "../../ui/charts/TableToggle.tsx";
import { chartGaps } from "../../ui/gap-band/gaps.ts";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import panel from "../../ui/panels/panel.module.css";
import { count, duration, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";
import { useGaps } from "../agents/index.ts";
import { depthBuckets, depthSummary } from "./depth-buckets.ts";
import { queueDepthsQuery, queueLatencyQuery } from "./queries.ts";

interface OfQueue {
  slug: string;
  queue: Queue;
}

/** Waiting tasks over time, with hatched bands where events were lost. */
export function DepthPanel({ slug, queue }: OfQueue) {
  const range = useTimeRange();
  const setRange = useSetTimeRange();
  const within = rangeParams(range);
  const { gaps } = useGaps(slug, within);
  const [isTable, setTable] = useState(false);
  const name = "Waiting tasks";
  const depths = useQuery({ ...queueDepthsQuery(slug, queue, within), refetchInterval: useTimedMs(30_000) });
  const { data } = depths;
  const keptMs = data ? Date.parse(data.kept_from) : 0;
  const shown = { fromMs: Math.max(range.sinceMs ?? 0, keptMs), toMs: range.untilMs };
  // A range that moves in steps starts a little earlier than its label says.
  const isCut = keptMs > (range.sinceMs ?? 0) + 30 * 60_000;
  const bands = chartGaps(gaps, shown);
  const all = useMemo(
    () => (data && shown.toMs > shown.fromMs ? depthBuckets(data, { fromMs: shown.fromMs, toMs: shown.toMs }) : []),
    [data, shown.fromMs, shown.toMs],
  );
  const buckets = sinceFirst(all, {
    bornMs: instant(queue.created_at),
    bands,
    isFilled: ({ value }) => value !== null,
  });
  return (
    <Panel
      title={name}
      window={isCut ? `${range.label}, limited to the last 24 h` : range.label}
      actions={<TableToggle name={name} isTable={isTable} onChange={setTable} />}
      read={depths}
      rows={4}
      empty={({ series }) =>
        series.length > 0 ? null : (
          <PanelEmpty kind="no-match">
            {isCut
              ? "No data is stored for this time range. Waiting tasks are kept for 24 h."
              : "No agent reported this queue's waiting tasks in this time range."}
          </PanelEmpty>
        )
      }
    >
      {() => (
        <div className={panel.inner}>
          <AmountChart
            name={name}
            valueName="waiting"
            summary={depthSummary(buckets)}
            buckets={buckets}
            isRunning={range.isOpen}
            bands={bands}
            isTable={isTable}
            onRange={(fromMs, toMs) => setRange(instantRange(fromMs, toMs))}
          />
        </div>
      )}
    </Panel>
  );
}

// On a queue's page the wait time comes first.
const kinds = latencyKinds.toReversed();

interface LatencyProps extends OfQueue {
  /** Engines that have a queue of the same name. */
  others: readonly string[];
}

/** Wait and run times of the queue's tasks. */
export function LatencyPanel({ slug, queue, others }: LatencyProps) {
  const range = useTimeRange();
  const setRange = useSetTimeRange();
  const within = rangeParams(range);
  const { gaps } = useGaps(slug, within);
  const [isTable, setTable] = useState(false);
  const [kind, setKind] = useState<LatencyKind>("wait");
  const latency = useQuery({
    ...queueLatencyQuery(slug, queue.name, within),
    refetchInterval: useTimedMs(30_000),
  });
  const { data } = latency;
  const bands = chartGaps(gaps, { fromMs: range.sinceMs ?? 0, toMs: range.untilMs });
  const all = useMemo(() => (data ? percentilesOf(data, kind) : []), [data, kind]);
  const buckets = sinceFirst(all, { bornMs: instant(queue.created_at), bands, isFilled: isMeasured });
  const name = kind === "wait" ? "Waiting time" : "Run time";
  return (
    <Panel
      title={name}
      window={`log scale, ${range.label}`}
      actions={
        <>
          <Segments legend="Metric" value={kind} options={kinds} onChange={setKind} />
          <TableToggle name={name} isTable={isTable} onChange={setTable} />
        </>
      }
      read={latency}
      rows={5}
      // Times are recorded by queue name, regardless of the engine.
      missing={() =>
        others.length === 0
          ? null
          : `Includes the ${others.length === 1 ? "queue" : "queues"} of the same name in ${others.map(printable).join(", ")}: times are not recorded per engine.`
      }
      empty={({ total }) =>
        total[kind] ? null : (
          <PanelEmpty kind="no-match">
            No {kind === "wait" ? "wait" : "run"} times were measured in this time range.
          </PanelEmpty>
        )
      }
    >
      {({ total }) => (
        <div className={panel.inner}>
          <p className="t2">{totalText(total[kind])}</p>
          <PercentileChart
            name={name}
            summary={`${name}, logarithmic. ${totalText(total[kind])}`}
            buckets={buckets}
            isRunning={range.isOpen}
            bands={bands}
            isTable={isTable}
            onRange={(fromMs, toMs) => setRange(instantRange(fromMs, toMs))}
          />
        </div>
      )}
    </Panel>
  );
}

function totalText(total: Measured | null): string {
  if (total === null) return "No measurements.";
  const { p50, p95, p99, count: measured } = total;
  return `Overall p50 ${duration(p50)}, p95 ${duration(p95)}, p99 ${duration(p99)} (${count(measured)} measured).`;
}
