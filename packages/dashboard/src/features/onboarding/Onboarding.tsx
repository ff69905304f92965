import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { paths } from "../../address/paths.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StatePill } from "../../ui/StatePill.tsx";
import { idTail, nameText, printable } from "../../ui/time/format.ts";
import { shortClockText, useZone } from "../../ui/time/instants.ts";
import { AgentSnippets, agentsQuery, ConnectionState, CreateAgentDialog, NotConnecting } from "../agents/index.ts";
import { projectQuery, statsQuery, useMayNotManage } from "../projects/index.ts";
import { taskKey } from "../task-data/index.ts";
import { firstTaskQuery } from "./first-task.ts";
import css from "./onboarding.module.css";
import { agentOf, type StepState, stepsOf, watchedEngines } from "./onboarding-steps.ts";

/** The engines that `svc agent` supports. */
const known = [
  { value: "bullmq", label: "BullMQ", title: "BullMQ 5 and 6 on Redis" },
  { value: "demo", label: "Sample shop", title: "A simulated shop, to try svc without an engine" },
];

interface OnboardingProps {
  slug: string;
  /** Called to continue once there are tasks. */
  onReady: () => void;
}

/** The checklist from an empty project to its first task, per engine. It updates from the service. */
export function Onboarding({ slug, onReady }: OnboardingProps) {
  const { zone } = useZone();
  const project = useQuery(projectQuery(slug));
  const readMs = useTimedMs(3_000);
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: readMs });
  const stats = useQuery({ ...statsQuery(slug), refetchInterval: readMs });
  const mayNot = useMayNotManage(slug);
  const [isCreating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [createdId, setCreatedId] = useState<string>();

  const items = agents.data?.items ?? [];
  const watched = watchedEngines(items);
  const others = watched.filter((engine) => known.every(({ value }) => value !== engine));
  const engines = [...known, ...others.map((value) => ({ value, label: printable(value) }))];
  // By default an engine that an agent already watches.
  const engine = chosen ?? watched[0] ?? "bullmq";
  const first = useQuery({ ...firstTaskQuery(slug, engine), refetchInterval: readMs });

  const task = first.data ?? null;
  const agent = agentOf(items, engine, createdId);
  const hasTasks = task !== null || (stats.data?.tasks_total ?? 0) > 0;
  const steps = stepsOf({ agents: items, engine, hasTask: task !== null });

  return (
    <div className={css.onb}>
      <div>
        <h1>Connect the first agent</h1>
        <p className={`${css.lead} t2`} role="status">
          {hasTasks
            ? "Tasks are arriving. You can connect another engine now, or later on the Agents page."
            : "No tasks yet. This checklist updates automatically."}
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
            state={steps.created}
            title={agent ? "Agent created" : "Create an agent"}
            at={agent ? shortClockText(Date.parse(agent.created_at), zone) : null}
          >
            {agent ? (
              <p>
                {printable(agent.name)}. Its credentials were shown once.{" "}
                {mayNot === null && agent.state !== "online" ? (
                  <Button variant="link" onClick={() => setCreating(true)}>
                    Create another agent
                  </Button>
                ) : null}
              </p>
            ) : (
              <>
                <p>An agent watches your engine and reports its tasks to this server.</p>
                <p className={css.act}>
                  <Button variant="main" disabledReason={mayNot} onClick={() => setCreating(true)} icon="plus">
                    Create agent
                  </Button>
                </p>
              </>
            )}
          </Step>
          <Step
            state={steps.hello}
            title={steps.hello === "done" ? "Agent connected" : "Start the agent"}
            at={agent?.last_connect_at ? shortClockText(Date.parse(agent.last_connect_at), zone) : null}
          >
            {agent && steps.hello !== "todo" ? (
              <>
                <ConnectionState agent={agent} />
                {steps.hello === "now" ? <NotConnecting /> : null}
              </>
            ) : (
              <p>Use the command shown when you create it.</p>
            )}
          </Step>
          <Step
            state={steps.event}
            title="First event"
            at={task ? shortClockText(Date.parse(task.received_at), zone) : null}
          >
            {task ? (
              <p>From {task.queue ? `queue ${printable(task.queue)}` : "the engine"}.</p>
            ) : (
              <p>Any task that is added, started or finished in a watched queue.</p>
            )}
          </Step>
          <Step state={steps.task} title="First task">
            {task ? (
              <p className={css.first}>
                <StatePill state={task.state} />
                <AppLink href={paths.task(slug, task.engine, taskKey(task))}>{nameText(task.name)}</AppLink>
                <span className="mono t3">{idTail(task.task_id)}</span>
              </p>
            ) : (
              <p>Appears automatically.</p>
            )}
          </Step>
        </ol>
      </div>
      <PanelFrame title="Start the agent">
        <div className={css.snips}>
          {known.some(({ value }) => value === engine) ? (
            <>
              <p className="t2">
                Run this where the agent can reach {engine === "bullmq" ? "Redis and this server" : "this server"}, with
                the agent's credentials.
              </p>
              <AgentSnippets key={engine} engine={engine} secrets={null} />
            </>
          ) : (
            <p className="t2">An agent in this project already watches {printable(engine)}.</p>
          )}
        </div>
        <p className={panel.foot}>The agent redacts suspected secrets and personal data before it sends anything.</p>
      </PanelFrame>
      {isCreating ? (
        <CreateAgentDialog slug={slug} engine={engine} onClose={() => setCreating(false)} onCreated={setCreatedId} />
      ) : null}
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
