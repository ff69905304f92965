import type { MintedAgent } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { paths } from "../../address/paths.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { Snippet } from "../../ui/forms/Snippet.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StatePill } from "../../ui/StatePill.tsx";
import { idTail, nameText, printable } from "../../ui/time/format.ts";
import { shortClockText, useZone } from "../../ui/time/instants.ts";
import {
  AgentSnippets,
  agentsQuery,
  environmentLines,
  FirstHello,
  MintDialog,
  NothingArrives,
} from "../agents/index.ts";
import { projectQuery, statsQuery, useMayNotManage } from "../projects/index.ts";
import { taskKey } from "../task-data/index.ts";
import { firstTaskQuery } from "./first-task.ts";
import css from "./onboarding.module.css";
import { agentOf, type StepState, stepsOf, watchedEngines } from "./onboarding-steps.ts";

/** What `svc agent` can watch. */
const known = [
  { value: "bullmq", label: "BullMQ", title: "BullMQ 5 and 6 on Redis" },
  { value: "demo", label: "sample shop", title: "A shop that lives in memory, to try this without any engine" },
];

interface OnboardingProps {
  slug: string;
  /** The way on, once there are tasks. */
  onReady: () => void;
}

/** The way from an empty project to its first task, engine by engine; the steps tick themselves. */
export function Onboarding({ slug, onReady }: OnboardingProps) {
  const { zone } = useZone();
  const project = useQuery(projectQuery(slug));
  const readMs = useTimedMs(3_000);
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: readMs });
  const stats = useQuery({ ...statsQuery(slug), refetchInterval: readMs });
  const mayNot = useMayNotManage(slug);
  const [isMinting, setMinting] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [minted, setMinted] = useState<MintedAgent | null>(null);

  const items = agents.data?.items ?? [];
  const watched = watchedEngines(items);
  const others = watched.filter((engine) => known.every(({ value }) => value !== engine));
  const engines = [...known, ...others.map((value) => ({ value, label: printable(value) }))];
  // Until somebody chooses, the engine that an agent has found.
  const engine = chosen ?? watched[0] ?? "bullmq";
  const first = useQuery({ ...firstTaskQuery(slug, engine), refetchInterval: readMs });

  const task = first.data ?? null;
  const agent = agentOf(items, engine, minted?.agent.id);
  const hasTasks = task !== null || (stats.data?.tasks_total ?? 0) > 0;
  const secrets = minted ? { token: minted.token, hmacSecret: minted.hmac_secret } : null;
  const steps = stepsOf({ agents: items, engine, hasTask: task !== null });

  return (
    <div className={css.onb}>
      <div>
        <h1>Connect the first agent</h1>
        <p className={`${css.lead} t2`} role="status">
          {hasTasks
            ? "The first tasks are here. Another engine can be connected now, or later under Agents."
            : "No task yet. The steps tick themselves; nothing here needs a reload."}
        </p>
        <div className={css.choice}>
          <Segments legend="Engine" value={engine} options={engines} onChange={setChosen} />
          {hasTasks ? (
            <Button variant="main" onClick={onReady}>
              Open the overview
            </Button>
          ) : null}
        </div>
        <ol className={css.steps}>
          <Step
            state="done"
            title="Project created"
            at={project.data ? shortClockText(Date.parse(project.data.created_at), zone) : null}
          >
            <p>
              {printable(project.data?.name ?? slug)}, {printable(project.data?.environment ?? "")}, time zone{" "}
              {project.data?.timezone ?? "UTC"}.
            </p>
          </Step>
          <Step
            state={steps.minted}
            title={agent ? "Agent minted" : "Mint an agent"}
            at={agent ? shortClockText(Date.parse(agent.created_at), zone) : null}
          >
            {agent ? (
              <p>
                {printable(agent.name)}. Its token and secret were shown once.{" "}
                {mayNot === null && agent.state !== "online" ? (
                  <Button variant="link" onClick={() => setMinting(true)}>
                    Mint another
                  </Button>
                ) : null}
              </p>
            ) : (
              <>
                <p>An agent is what connects to this server; it gets a token and a secret of its own.</p>
                <p className={css.act}>
                  <Button variant="main" disabledReason={mayNot} onClick={() => setMinting(true)} icon="plus">
                    Mint agent
                  </Button>
                </p>
              </>
            )}
          </Step>
          <Step
            state={steps.hello}
            title={steps.hello === "done" ? "Connected" : "Waiting for the first hello"}
            at={agent?.last_connect_at ? shortClockText(Date.parse(agent.last_connect_at), zone) : null}
          >
            {agent && steps.hello !== "todo" ? (
              <>
                <FirstHello agent={agent} />
                {steps.hello === "now" ? <NothingArrives /> : null}
              </>
            ) : (
              <p>Start the agent where it can reach the broker and this server.</p>
            )}
          </Step>
          <Step
            state={steps.event}
            title="First event"
            at={task ? shortClockText(Date.parse(task.received_at), zone) : null}
          >
            {task ? (
              <p>Told by {task.queue ? `queue ${printable(task.queue)}` : "the engine"}.</p>
            ) : (
              <p>Any task that is put into, starts in or leaves a watched queue.</p>
            )}
          </Step>
          <Step state={steps.task} title="First task on screen">
            {task ? (
              <p className={css.first}>
                <StatePill state={task.state} />
                <AppLink href={paths.task(slug, task.engine, taskKey(task))}>{nameText(task.name)}</AppLink>
                <span className="mono t3">{idTail(task.task_id)}</span>
              </p>
            ) : (
              <p>It appears here as soon as it is told.</p>
            )}
          </Step>
        </ol>
      </div>
      <PanelFrame title="Paste where the agent runs">
        <div className={css.snips}>
          {engine === "bullmq" ? (
            <AgentSnippets slug={slug} secrets={secrets} />
          ) : (
            <>
              <Snippet name="environment" text={environmentLines(slug, secrets)} once="shown once, when minted" />
              {engine === "demo" ? (
                <Snippet name="shell" text={`npx svc agent demo --brain ${location.origin}`} />
              ) : (
                <p className="t2">An agent of this project watches {printable(engine)} already.</p>
              )}
            </>
          )}
        </div>
        <p className={panel.foot}>Arguments and results are redacted by the agent, before anything is sent.</p>
      </PanelFrame>
      {isMinting ? <MintDialog slug={slug} onClose={() => setMinting(false)} onMinted={setMinted} /> : null}
    </div>
  );
}

interface StepProps {
  state: StepState;
  title: string;
  at?: string | null;
  children: ReactNode;
}

const marks = { done: ["success", "done"], now: ["started", "waiting"], todo: ["pending", "to do"] } as const;

function Step({ state, title, at, children }: StepProps) {
  const [glyph, word] = marks[state];
  return (
    <li className={css.step} data-step={state} aria-current={state === "now" ? "step" : undefined}>
      <span className={css.mk}>
        <Glyph name={glyph} />
        <span className="vh">{word}</span>
      </span>
      <div>
        <h2>
          {title}
          {at ? <span className="t3">{at}</span> : null}
        </h2>
        {children}
      </div>
    </li>
  );
}
