import type { Agent } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePollMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { Empty } from "../../ui/Feedback.tsx";
import { printable } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { usePage } from "../../ui/title.ts";
import { useIsProjectAdmin } from "../sessions/queries.ts";
import { MintDialog } from "./MintDialog.tsx";
import { agentsQuery } from "./queries.ts";
import { enginesOf, transportOf } from "./words.ts";

const troubleFirst = ["offline", "unknown", "online"];

export function AgentsPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/agents" });
  usePage([{ label: slug, href: paths.tasks(slug) }, { label: "Agents" }]);
  const pollMs = usePollMs();
  const { data } = useSuspenseQuery({ ...agentsQuery(slug), refetchInterval: pollMs });
  const isAdmin = useIsProjectAdmin(slug);
  const [isMinting, setMinting] = useState(false);
  const agents = data.items.toSorted(
    (a, b) => troubleFirst.indexOf(a.state) - troubleFirst.indexOf(b.state) || a.name.localeCompare(b.name),
  );

  const mint = (
    <button
      type="button"
      className={`${controls.btn} ${controls.pri}`}
      aria-disabled={!isAdmin}
      title={isAdmin ? undefined : "Needs the admin role in this project"}
      onClick={() => {
        if (isAdmin) setMinting(true);
      }}
    >
      <Icon name="plus" />
      Mint agent
    </button>
  );

  return (
    <>
      <div className={panel.head}>
        <h1 className="grow">Agents</h1>
        {agents.length > 0 ? mint : null}
      </div>
      {agents.length === 0 ? (
        <Empty title="No agent yet">
          <p>
            An agent watches a task engine and reports what happens there. Mint one, then start it beside your workers.
          </p>
          {mint}
        </Empty>
      ) : (
        <ScrollBox label="Agents">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>State</th>
                <th>Agent</th>
                <th className="lg">Engines</th>
                <th className="lg">Transport</th>
                <th className="lg">Version</th>
                <th className="num">Last seen</th>
              </tr>
            </thead>
            <tbody>
              {agents.map((agent) => (
                <AgentRow key={agent.id} slug={slug} agent={agent} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {isMinting ? <MintDialog slug={slug} onClose={() => setMinting(false)} /> : null}
    </>
  );
}

function AgentRow({ slug, agent }: { slug: string; agent: Agent }) {
  return (
    <tr className={agent.state === "offline" ? panel.alarm : undefined}>
      <td>
        <FleetPill state={agent.state} />
      </td>
      <td className={panel.two}>
        <AppLink href={paths.agent(slug, agent.id)}>
          <b>{printable(agent.name)}</b>
        </AppLink>
        <small>
          {agent.last_seen_at ? printable(agent.host_name ?? "host not reported") : "waiting for the first hello"}
        </small>
      </td>
      <td className="lg t2">{enginesOf(agent)}</td>
      <td className="lg t2">{transportOf(agent)}</td>
      <td className="lg t2">
        {agent.agent_version ?? "not reported"}{" "}
        {agent.version_status === "incompatible" || agent.is_outdated ? (
          <span className={controls.tag}>{agent.version_status === "incompatible" ? "too old" : "outdated"}</span>
        ) : null}
      </td>
      <td className="num">
        <Age at={agent.last_seen_at} />
      </td>
    </tr>
  );
}
