import type { Agent } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { usePollMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { type LossGap, lostText } from "../../ui/gap-band/gaps.ts";
import { Glyph } from "../../ui/Icon.tsx";
import { Empty, FailedLine } from "../../ui/panels/Feedback.tsx";
import panel from "../../ui/panels/panel.module.css";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { type RowPlace, WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { useIsProjectAdmin } from "../sessions/index.ts";
import css from "./agents.module.css";
import { Capabilities, SkewTag } from "./Capabilities.tsx";
import { MintDialog } from "./connecting/MintDialog.tsx";
import { useGaps } from "./losses/use-gaps.ts";
import { agentsQuery } from "./queries.ts";
import { agentReason, agentsInOrder, enginesOf, transportOf } from "./words.ts";

export function AgentsPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/agents" });
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Agents" }]);
  const read = useSuspenseQuery({ ...agentsQuery(slug), refetchInterval: usePollMs() });
  const losses = useGaps(slug);
  const isAdmin = useIsProjectAdmin(slug);
  const [isMinting, setMinting] = useState(false);
  const [filter, setFilter] = useListFilter();
  const all = read.data.items;
  const matching = all.filter((agent) =>
    matchesWords(filter, [agent.name, agent.host_name, agent.state, agent.framework_adapter, ...agent.engine_adapters]),
  );
  const { rows, hold } = useSteadyOrder(agentsInOrder(matching).map((agent) => ({ key: agent.id, agent })));
  const online = all.filter((agent) => agent.state === "online").length;

  const mint = (
    <Button
      variant="main"
      disabledReason={isAdmin ? null : "Needs the admin role in this project"}
      onClick={() => setMinting(true)}
      icon="plus"
    >
      Mint agent
    </Button>
  );

  return (
    <>
      <div className={panel.head}>
        <h1>Agents</h1>
        <span className="t3 grow">
          {all.length === 0 ? "" : `${count(online)} of ${count(all.length)} online`}
          {all.some((agent) => agent.transport === "longpoll")
            ? "; long-poll agents that only fetch commands may show offline"
            : ""}
        </span>
        {all.length > 0 ? (
          <>
            <FilterBox label="Filter agents" value={filter} onChange={setFilter} />
            {mint}
          </>
        ) : null}
      </div>
      {read.error ? (
        <FailedLine title="Agents were not renewed" error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {losses.error ? <FailedLine title="Whether events were lost could not be read" error={losses.error} /> : null}
      {all.length === 0 ? (
        <Empty title="No agent yet">
          <p>
            An agent watches a task engine and reports what happens there. Mint one, then start it beside your workers.
          </p>
          {mint}
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No agent matches" chips={<Button onClick={() => setFilter("")}>Clear the filter</Button>}>
          <p>None of {count(all.length)} agents has this in its name, host, state, framework or engines.</p>
        </Empty>
      ) : (
        <ScrollBox label="Agents">
          <WindowTable
            className={`${panel.tbl} ${panel.wide} ${css.list}`}
            on={hold}
            rows={rows}
            rowPx={53}
            head={
              <>
                <th>State</th>
                <th>Agent</th>
                <th className="lg">Engines</th>
                <th className="lg">Can do</th>
                <th className="lg">Transport</th>
                <th className="lg">Version</th>
                <th className="lg">Lost, 24 h</th>
                <th className="num">Last seen</th>
              </>
            }
          >
            {({ agent }, place) => (
              <AgentRow
                slug={slug}
                agent={agent}
                place={place}
                gaps={losses.gaps.filter((gap) => gap.agentId === agent.id)}
                isLossKnown={losses.isKnown}
              />
            )}
          </WindowTable>
        </ScrollBox>
      )}
      {isMinting ? <MintDialog slug={slug} onClose={() => setMinting(false)} /> : null}
    </>
  );
}

interface AgentRowProps {
  slug: string;
  agent: Agent;
  place: RowPlace;
  gaps: readonly LossGap[];
  isLossKnown: boolean;
}

function AgentRow({ slug, agent, place, gaps, isLossKnown }: AgentRowProps) {
  const now = useNow();
  return (
    <tr {...place} className={agent.state === "offline" ? panel.alarm : undefined}>
      <td>
        <span className={panel.state}>
          <FleetPill state={agent.state} />
          <small>{agentReason(agent, now)}</small>
        </span>
      </td>
      <td className={panel.two}>
        <AppLink href={paths.agent(slug, agent.id)}>
          <b>{nameText(agent.name)}</b>
        </AppLink>
        <small>
          {printable(agent.host_name ?? "host not reported")}
          {agent.framework_adapter ? `, ${printable(agent.framework_adapter)}` : ""}
        </small>
      </td>
      <td className="lg t2">{enginesOf(agent)}</td>
      <td className={`lg ${css.cell}`}>
        <Capabilities agent={agent} most={3} />
      </td>
      <td className="lg t2">{transportOf(agent)}</td>
      <td className={`lg t2 ${panel.two}`}>
        {agent.agent_version ?? "not reported"} <SkewTag agent={agent} />
        <small>protocol {agent.protocol_version || "not reported"}</small>
      </td>
      <td className="lg">
        {gaps.length > 0 ? (
          <span className={panel.wrong}>
            <Glyph name="unknown" />
            {lostText({ gaps })}
          </span>
        ) : (
          <span className="t3">{isLossKnown ? "nothing" : "not known"}</span>
        )}
      </td>
      <td className="num">
        <Age at={agent.last_seen_at} suffix=" ago" />
      </td>
    </tr>
  );
}
