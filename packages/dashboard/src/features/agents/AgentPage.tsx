import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary, StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { nameText } from "../../ui/time/format.ts";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { useMayNotManage } from "../projects/index.ts";
import { AgentPill, FactsPanel, Processes } from "./AgentParts.tsx";
import { AgentSnippets } from "./connecting/AgentSnippets.tsx";
import { ConnectionState, NotConnecting } from "./connecting/ConnectionState.tsx";
import { agentReason } from "./labels.ts";
import { LossBands } from "./losses/LossBands.tsx";
import { LossPanel } from "./losses/LossPanel.tsx";
import { agentProcessesQuery, agentQuery, agentStatusQuery } from "./queries.ts";
import { RevokeDialog } from "./RevokeDialog.tsx";
import { SamplesPanel, SessionsPanel } from "./samples/SampleParts.tsx";

export const loader: PageLoader<{ slug: string; agentId: string }> = ({ params: { slug, agentId } }) =>
  Promise.all([
    readAhead(agentQuery(slug, agentId)),
    readAhead(agentStatusQuery(slug, agentId)),
    readAhead(agentProcessesQuery(slug)),
  ]);

export function AgentPage() {
  const { slug, agentId } = useParams({ from: "/signed-in/p/$slug/agents/$agentId" });
  const pollMs = usePollMs();
  const now = useNow();
  const agentMs = useTimedMs(pollMs === false ? 15_000 : pollMs);
  const historyMs = useTimedMs(10_000);
  const read = useSuspenseQuery({ ...agentQuery(slug, agentId), refetchInterval: agentMs });
  const agent = read.data;
  const status = useQuery({ ...agentStatusQuery(slug, agentId), refetchInterval: historyMs });
  const processes = useQuery({ ...agentProcessesQuery(slug), refetchInterval: historyMs });
  const own = processes.data?.filter((process) => process.agent_id === agent.id);
  const mayNot = useMayNotManage(slug);
  const [isRevoking, setRevoking] = useState(false);
  usePage([[slug, paths.project(slug)], ["Agents", paths.agents(slug)], [nameText(agent.name)]]);

  return (
    <>
      <div className={panel.head}>
        <AgentPill agent={agent} />
        <h1 className="cut">{nameText(agent.name)}</h1>
        <span className="t2">{agentReason(agent, now)}</span>
        <span className="grow" />
        <Button disabledReason={mayNot} onClick={() => setRevoking(true)} icon="trash">
          Revoke
        </Button>
      </div>
      <StaleLine name="The agent" read={read} />
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            {agent.last_seen_at ? null : (
              <PanelFrame title="Start the agent">
                <div className={`${panel.stack} ${panel.inner}`}>
                  <ConnectionState agent={agent} />
                  <AgentSnippets engine="bullmq" secrets={null} />
                  <NotConnecting />
                </div>
              </PanelFrame>
            )}
            <Panel
              title="Processes"
              window="connected with this agent's token"
              read={processes}
              rows={2}
              missing={(rows) =>
                rows.length === 500
                  ? "Some may be missing: only the first 500 processes of the project are loaded."
                  : null
              }
              empty={() =>
                own?.length === 0 ? <PanelEmpty kind="none-yet">No process has connected yet.</PanelEmpty> : null
              }
            >
              {() => <Processes rows={own ?? []} />}
            </Panel>
            <LossBands slug={slug} agentId={agent.id} />
            <QueryBoundary name="Status samples" read={status} rows={6}>
              {({ items }) => (
                <>
                  <LossPanel samples={items} />
                  <SamplesPanel samples={items} />
                </>
              )}
            </QueryBoundary>
          </div>
          <div className={panel.stack}>
            <FactsPanel agent={agent} />
            {status.data ? <SessionsPanel samples={status.data.items} isOnline={agent.state === "online"} /> : null}
          </div>
        </div>
      </div>
      {isRevoking ? (
        <RevokeDialog
          slug={slug}
          agent={agent}
          processesOnline={own?.filter((process) => process.state === "online").length ?? null}
          onClose={() => setRevoking(false)}
        />
      ) : null}
    </>
  );
}
