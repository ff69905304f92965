import type { Agent } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { usePollMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { lostText } from "../../ui/gap-band/gaps.ts";
import { Glyph } from "../../ui/Icon.tsx";
import { Empty, InlineError } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { useMayNotManage } from "../projects/index.ts";
import { SchedulersPanel } from "../schedulers/index.ts";
import { AgentPill } from "./AgentParts.tsx";
import css from "./agents.module.css";
import { Capabilities, SkewTag } from "./Capabilities.tsx";
import { CreateAgentDialog } from "./connecting/CreateAgentDialog.tsx";
import { agentReason, agentsInOrder, enginesOf, isNotConnectedYet, notConnectedYet, transportOf } from "./labels.ts";
import { gapsQuery, useGaps } from "./losses/use-gaps.ts";
import { agentsQuery } from "./queries.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) =>
  Promise.all([readAhead(agentsQuery(slug)), readAhead(gapsQuery(slug))]);

export function AgentsPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/agents" });
  usePage([[slug, paths.project(slug)], ["Agents"]]);
  const read = useSuspenseQuery({ ...agentsQuery(slug), refetchInterval: usePollMs() });
  const losses = useGaps(slug);
  const mayNot = useMayNotManage(slug);
  const [isCreating, setCreating] = useState(false);
  const [filter, setFilter] = useListFilter();
  const all = read.data.items;
  const matching = all.filter((agent) =>
    matchesWords(filter, [
      agent.name,
      agent.host_name,
      stateWord(agent),
      agent.framework_adapter,
      ...agent.engine_adapters,
    ]),
  );
  const { rows, hold } = useSteadyOrder(agentsInOrder(matching).map((agent) => ({ key: agent.id, agent })));
  const online = all.filter((agent) => agent.state === "online").length;

  const create = (
    <Button variant="main" disabledReason={mayNot} onClick={() => setCreating(true)} icon="plus">
      Create agent
    </Button>
  );

  return (
    <>
      <div className={panel.head}>
        <h1>Agents</h1>
        <span className="t3 grow">
          {all.length === 0 ? "" : `${count(online)} of ${count(all.length)} online`}
          {all.some((agent) => agent.transport === "longpoll")
            ? ". Long-poll agents may show offline while they only poll for commands."
            : ""}
        </span>
        {all.length > 0 ? (
          <>
            <FilterBox label="Filter agents" value={filter} onChange={setFilter} />
            {create}
          </>
        ) : null}
      </div>
      <StaleLine name="Agents" read={read} />
      {losses.error ? <InlineError title="Couldn't load event losses" error={losses.error} /> : null}
      {all.length === 0 ? (
        <Empty title="No agents yet">
          <p>An agent watches a task engine and reports its tasks. Create one, then start it next to your workers.</p>
          {create}
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No matching agents" chips={<Button onClick={() => setFilter("")}>Clear filter</Button>}>
          <p>No agent has this text in its name, host, state, framework or engines.</p>
        </Empty>
      ) : (
        <WindowTable
          label="Agents"
          size="wide"
          on={hold}
          rows={rows}
          rowKey={({ key }) => key}
          rowPx={53}
          rowProps={({ agent }) => (agent.state === "offline" ? { className: panel.alarm } : {})}
          columns={columnsOf(slug, losses)}
        />
      )}
      <SchedulersPanel />
      {isCreating ? <CreateAgentDialog slug={slug} onClose={() => setCreating(false)} /> : null}
    </>
  );
}

const stateWord = (agent: Agent): string => (isNotConnectedYet(agent) ? notConnectedYet : agent.state);

interface AgentRow {
  agent: Agent;
}

const columnsOf = (slug: string, losses: ReturnType<typeof useGaps>): readonly Column<AgentRow>[] => [
  { header: "State", width: "13rem", phoneWidth: "8.5rem", cell: ({ agent }) => <State agent={agent} /> },
  {
    header: "Agent",
    cell: ({ agent }) => (
      <AppLink href={paths.agent(slug, agent.id)}>
        <b>{nameText(agent.name)}</b>
      </AppLink>
    ),
    small: ({ agent }) => (
      <>
        {printable(agent.host_name ?? "host not reported")}
        {agent.framework_adapter ? `, ${printable(agent.framework_adapter)}` : ""}
      </>
    ),
  },
  { header: "Engines", className: "lg", cellClass: "t2", width: "6rem", cell: ({ agent }) => enginesOf(agent) },
  {
    header: "Capabilities",
    className: "lg",
    cellClass: css.cell,
    width: "13rem",
    cell: ({ agent }) => <Capabilities agent={agent} maximum={3} />,
  },
  { header: "Transport", className: "lg", cellClass: "t2", width: "6rem", cell: ({ agent }) => transportOf(agent) },
  {
    header: "Version",
    className: "lg",
    cellClass: "t2",
    width: "7.5rem",
    cell: ({ agent }) => (
      <>
        {agent.agent_version ?? "not reported"} <SkewTag agent={agent} />
      </>
    ),
    small: ({ agent }) => `protocol ${agent.protocol_version || "not reported"}`,
  },
  {
    header: "Lost, 24 h",
    className: "lg",
    width: "8rem",
    cell: ({ agent }) => {
      const gaps = losses.gaps.filter((gap) => gap.agentId === agent.id);
      if (gaps.length === 0) return <span className="t3">{losses.isKnown ? "none" : "unknown"}</span>;
      return (
        <span className={panel.wrong}>
          <Glyph name="unknown" />
          {lostText({ gaps })}
        </span>
      );
    },
  },
  {
    header: "Last seen",
    className: "num",
    width: "6rem",
    phoneWidth: "5.5rem",
    cell: ({ agent }) => <Age at={agent.last_seen_at} suffix=" ago" />,
  },
];

function State({ agent }: { agent: Agent }) {
  const now = useNow();
  return (
    <span className={panel.state}>
      <AgentPill agent={agent} />
      <small>{agentReason(agent, now)}</small>
    </span>
  );
}
