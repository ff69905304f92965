import type { Percentiles } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { useTimedMs } from "../../live/live.ts";
import { rangeParams } from "../../range-text.ts";
import { useTimeRange } from "../../time-range.ts";
import { count, duration } from "../../ui/format.ts";
import { Panel, PanelEmpty } from "../../ui/Panel.tsx";
import panel from "../../ui/panel.module.css";

/** How long tasks of a queue waited and ran. */
export function LatencyPanel({ slug, queue }: { slug: string; queue: string }) {
  const range = useTimeRange();
  const within = rangeParams(range);
  const latency = useQuery({
    queryKey: ["latency", slug, { queue, ...within }],
    queryFn: ({ signal }) => api.getLatency(slug, { queue, ...within }, { signal }),
    placeholderData: (old) => old,
    refetchInterval: useTimedMs(30_000),
  });
  return (
    <Panel
      title="Wait and run time"
      window={range.label}
      read={latency}
      rows={3}
      empty={({ total }) =>
        total.run || total.wait ? null : (
          <PanelEmpty kind="no-match">
            <p>No task of this queue began or ended in the {range.label}.</p>
          </PanelEmpty>
        )
      }
    >
      {({ total }) => (
        <table className={`${panel.tbl} ${panel.dense}`}>
          <thead>
            <tr>
              <th>
                <span className="vh">What</span>
              </th>
              <th className="num">p50</th>
              <th className="num">p95</th>
              <th className="num">p99</th>
              <th className="num">Of</th>
            </tr>
          </thead>
          <tbody>
            <Durations name="Wait" values={total.wait} of="begun" />
            <Durations name="Run" values={total.run} of="ended" />
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Durations({ name, values, of }: { name: string; values: Percentiles | null; of: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {(["p50", "p95", "p99"] as const).map((which) => (
        <td key={which} className="num">
          {values === null ? <span className="t3">–</span> : duration(values[which])}
        </td>
      ))}
      <td className="num t2">{values === null ? "not measured" : `${count(values.count)} ${of}`}</td>
    </tr>
  );
}
