import type { Agent, AgentProcess } from "@svc/client";
import type { ReactNode } from "react";
import { FactList } from "../../ui/panels/PanelFacts.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import { FleetPill, Pill } from "../../ui/StatePill.tsx";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { printable } from "../../ui/time/format.ts";
import { Age, Stamp } from "../../ui/time/Stamp.tsx";
import { Capabilities, SkewTag } from "./Capabilities.tsx";
import { enginesOf, isNotConnectedYet, notConnectedYet, transportOf, versionSkew } from "./labels.ts";

/** The state of an agent. “Not connected yet” is not a problem. */
export function AgentPill({ agent }: { agent: Agent }) {
  if (!isNotConnectedYet(agent)) return <FleetPill state={agent.state} />;
  return <Pill word={notConnectedYet} style={{ tone: "pending", glyph: "pending" }} />;
}

/** The facts of the agent. */
export function FactsPanel({ agent }: { agent: Agent }) {
  const skew = versionSkew(agent);
  const facts: [string, ReactNode][] = [
    ["Engines", enginesOf(agent)],
    ["Framework", printable(agent.framework_adapter || "not reported")],
    [
      "Transport",
      <span key="transport">
        {transportOf(agent)}
        {agent.transport === "longpoll" ? (
          <span className="t3">, may show offline while it only polls for commands</span>
        ) : null}
      </span>,
    ],
    ["Host", printable(agent.host_name ?? "not reported")],
    [
      "Version",
      <span key="version">
        {agent.agent_version ?? "not reported"} <SkewTag agent={agent} />{" "}
        <span className="t3">
          protocol {agent.protocol_version || "not reported"}
          {skew ? `. ${skew.means}` : ""}
        </span>
      </span>,
    ],
    ["Last seen", <Age key="seen" at={agent.last_seen_at} suffix=" ago" />],
    ["Last connected", <Stamp key="connected" at={agent.last_connect_at} none="never" />],
    ["Created", <Stamp key="created" at={agent.created_at} />],
    [
      "Agent id",
      <span key="id" className="mono">
        {agent.id}
      </span>,
    ],
    ["Capabilities", <Capabilities key="can" agent={agent} />],
  ];
  return (
    <PanelFrame title="Details">
      <FactList facts={facts} />
    </PanelFrame>
  );
}

/** The processes that connect with the agent's token. */
export function Processes({ rows }: { rows: AgentProcess[] }) {
  return (
    <WindowTable
      label="Processes"
      rowPx={37}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { header: "State", cell: ({ state }) => <FleetPill state={state} bare /> },
        { header: "Process", cellClass: "mono", cell: ({ worker_id: id }) => printable(id ?? "not reported") },
        { header: "Role", className: "lg", cellClass: "t2", cell: ({ role }) => printable(role ?? "–") },
        { header: "Pid", className: "num lg", cell: ({ pid }) => pid ?? "–" },
        {
          header: "Started",
          className: "num lg",
          cell: ({ started_at: at }) => <Age at={at} none="–" suffix=" ago" />,
        },
        { header: "Last seen", className: "num", cell: ({ last_seen_at: at }) => <Age at={at} suffix=" ago" /> },
      ]}
    />
  );
}
