import type { AgentProcess, AgentStatusSample } from "@svc/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { useIsPhone } from "../../ui/appearance.ts";
import controls from "../../ui/controls.module.css";
import { Bones, Failed } from "../../ui/Feedback.tsx";
import { printable } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age, Stamp } from "../../ui/Stamp.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { usePage } from "../../ui/title.ts";
import { useIsProjectAdmin } from "../sessions/queries.ts";
import { AgentSnippets } from "./AgentSnippets.tsx";
import css from "./agents.module.css";
import { FirstHello, NothingArrives } from "./FirstHello.tsx";
import { LossBands } from "./LossBands.tsx";
import { LossPanel } from "./LossPanel.tsx";
import { agentProcessesQuery, agentQuery, agentStatusQuery } from "./queries.ts";
import { RevokeDialog } from "./RevokeDialog.tsx";
import { enginesOf, transportOf } from "./words.ts";

export function AgentPage() {
  const { slug, agentId } = useParams({ from: "/signed-in/p/$slug/agents/$agentId" });
  const pollMs = usePollMs();
  const agentMs = useTimedMs(pollMs === false ? 15_000 : pollMs);
  const historyMs = useTimedMs(10_000);
  const { data: agent } = useSuspenseQuery({ ...agentQuery(slug, agentId), refetchInterval: agentMs });
  const status = useQuery({ ...agentStatusQuery(slug, agentId), refetchInterval: historyMs });
  const processes = useQuery({ ...agentProcessesQuery(slug), refetchInterval: historyMs });
  const isAdmin = useIsProjectAdmin(slug);
  const [isRevoking, setRevoking] = useState(false);
  usePage([
    { label: slug, href: paths.tasks(slug) },
    { label: "Agents", href: paths.agents(slug) },
    { label: agent.name },
  ]);

  const capabilities = Object.entries(agent.capabilities).flatMap(([engine, tokens]) =>
    Array.isArray(tokens) ? tokens.map((token) => `${engine} ${String(token)}`) : [engine],
  );
  return (
    <>
      <div className={panel.head}>
        <FleetPill state={agent.state} />
        <h1 className="cut">{printable(agent.name)}</h1>
        <span className="grow" />
        <button
          type="button"
          className={controls.btn}
          aria-disabled={!isAdmin}
          title={isAdmin ? undefined : "Needs the admin role in this project"}
          onClick={() => {
            if (isAdmin) setRevoking(true);
          }}
        >
          <Icon name="trash" />
          Revoke
        </button>
      </div>
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            {agent.last_seen_at ? null : (
              <section className={panel.panel}>
                <header>
                  <h2>Connect it</h2>
                </header>
                <div className={`${panel.stack} ${panel.inner}`}>
                  <FirstHello agent={agent} />
                  <AgentSnippets slug={slug} secrets={null} />
                  <NothingArrives />
                </div>
              </section>
            )}
            <section className={panel.panel} aria-labelledby="h-proc">
              <header>
                <h2 id="h-proc">Processes</h2>
                <span className="t3">that connect with this agent's token</span>
              </header>
              {processes.isError ? (
                <Failed
                  title="Processes could not be read"
                  error={processes.error}
                  onRetry={() => void processes.refetch()}
                />
              ) : processes.data ? (
                <Processes rows={processes.data.filter((process) => process.agent_id === agent.id)} />
              ) : (
                <Bones rows={2} label="Loading processes" />
              )}
            </section>
            {status.isError ? (
              <Failed
                title="Status samples could not be read"
                error={status.error}
                onRetry={() => void status.refetch()}
              />
            ) : status.data ? (
              <>
                <LossPanel samples={status.data.items} />
                <LossBands slug={slug} agentId={agent.id} />
                <Samples samples={status.data.items} />
              </>
            ) : (
              <Bones rows={3} label="Loading status samples" />
            )}
          </div>
          <section className={panel.panel} aria-labelledby="h-facts">
            <header>
              <h2 id="h-facts">Facts</h2>
            </header>
            <dl className={panel.kv}>
              <Fact name="Engines">{enginesOf(agent)}</Fact>
              <Fact name="Transport">
                {transportOf(agent)}
                {agent.transport === "longpoll" ? (
                  <span className="t3">; may show offline while it only fetches commands</span>
                ) : null}
              </Fact>
              <Fact name="Host">{printable(agent.host_name ?? "not reported")}</Fact>
              <Fact name="Version">
                {agent.agent_version ?? "not reported"}{" "}
                <span className="t3">protocol {agent.protocol_version || "not reported"}</span>
              </Fact>
              <Fact name="Last seen">
                <Age at={agent.last_seen_at} suffix=" ago" />
              </Fact>
              <Fact name="Connected">
                <Stamp at={agent.last_connect_at} none="never" />
              </Fact>
              <Fact name="Minted">
                <Stamp at={agent.created_at} />
              </Fact>
              <Fact name="Agent id">
                <span className="mono">{agent.id}</span>
              </Fact>
              <Fact name="Can do">
                {capabilities.length === 0 ? (
                  "not reported"
                ) : (
                  <span className={css.caps}>
                    {capabilities.map((word) => (
                      <span key={word} className={controls.tag}>
                        {printable(word)}
                      </span>
                    ))}
                  </span>
                )}
              </Fact>
            </dl>
          </section>
        </div>
      </div>
      {isRevoking ? <RevokeDialog slug={slug} agent={agent} onClose={() => setRevoking(false)} /> : null}
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Processes({ rows }: { rows: AgentProcess[] }) {
  if (rows.length === 0) return <p className={panel.foot}>No process has connected yet.</p>;
  return (
    <ScrollBox label="Processes">
      <table className={panel.tbl}>
        <thead>
          <tr>
            <th>State</th>
            <th>Process</th>
            <th>Role</th>
            <th className="num">Pid</th>
            <th className="num">Started</th>
            <th className="num">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <FleetPill state={row.state} bare />
              </td>
              <td className="mono">{printable(row.worker_id ?? "not reported")}</td>
              <td className="t2">{printable(row.role ?? "–")}</td>
              <td className="num">{row.pid ?? "–"}</td>
              <td className="num">
                <Age at={row.started_at} none="–" suffix=" ago" />
              </td>
              <td className="num">
                <Age at={row.last_seen_at} suffix=" ago" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Samples({ samples }: { samples: AgentStatusSample[] }) {
  const shown = samples.slice(0, useIsPhone() ? 5 : 12);
  return (
    <section className={panel.panel} aria-labelledby="h-samples">
      <header>
        <h2 id="h-samples">Status samples</h2>
        <span className="t3">
          newest {shown.length} of {samples.length} kept
        </span>
      </header>
      {shown.length === 0 ? (
        <p className={panel.foot}>
          None yet. An agent sends one with each heartbeat, unless that is switched off there.
        </p>
      ) : (
        <ScrollBox label="Status samples">
          <table className={`${panel.tbl} ${panel.dense}`}>
            <thead>
              <tr>
                <th>At</th>
                <th className="num">In buffer</th>
                <th className="num">Oldest</th>
                <th className="num">Failed connects in a row</th>
                <th className="num">Session</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ id, captured_at, payload }) => (
                <tr key={String(id)}>
                  <td>
                    <Stamp at={captured_at} />
                  </td>
                  <td className="num">{payload.buffer_depth ?? "–"}</td>
                  <td className="num">
                    {payload.buffer_oldest_age_seconds === undefined
                      ? "–"
                      : `${Math.round(payload.buffer_oldest_age_seconds)} s`}
                  </td>
                  <td className="num">{payload.connection_failure_streak ?? "–"}</td>
                  <td className="num">
                    {payload.current_session_age_seconds === undefined
                      ? "–"
                      : `${Math.round(payload.current_session_age_seconds)} s`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
