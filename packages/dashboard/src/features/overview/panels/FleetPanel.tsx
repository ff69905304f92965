import { type Agent, plural, type Queue, type Worker } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { lostText, whyText } from "../../../ui/gap-band/gaps.ts";
import { Glyph } from "../../../ui/Icon.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useNowEvery } from "../../../ui/time/ticker.ts";
import type { Gaps } from "../../agents/index.ts";
import { stateReason } from "../../workers/index.ts";
import css from "../overview.module.css";
import { fleetHealth, joinFull, type Trouble } from "./fleet-health.ts";

interface FleetPanelProps {
  slug: string;
  agents: UseQueryResult<{ items: Agent[] }>;
  workers: UseQueryResult<{ items: Worker[]; next_cursor: string | null }>;
  /** Show whether tasks wait for a worker; undefined while unknown. */
  queues: Queue[] | undefined;
  losses: Gaps;
  windowLabel: string;
}

const troublesShown = 6;

/** Agents and workers: the unhealthy ones with their problem, the others as a count. */
export function FleetPanel({ slug, agents, workers, queues, losses, windowLabel }: FleetPanelProps) {
  return (
    <Panel
      className={css.cell}
      title="Fleet"
      window="now, unhealthy first"
      read={agents}
      rows={4}
      missing={() =>
        workers.data?.next_cursor
          ? `Includes only the first ${count(workers.data.items.length)} workers by name.`
          : null
      }
    >
      {({ items }) => (
        <ul className={css.fleet}>
          <Fleet slug={slug} agents={items} workers={workers} queues={queues} />
          <Losses losses={losses} windowLabel={windowLabel} />
        </ul>
      )}
    </Panel>
  );
}

type FleetProps = Pick<FleetPanelProps, "slug" | "workers" | "queues"> & { agents: Agent[] };

function Fleet({ slug, agents, workers, queues }: FleetProps) {
  const now = useNowEvery(60_000);
  const [isOpen, setOpen] = useState(false);
  const health = fleetHealth({ agents, workers: workers.data?.items ?? [], queues }, now);
  const { apart, full } = joinFull(health.troubles);
  const shown = apart.slice(0, troublesShown);
  const healthyWorkers = health.healthyWorkers.length;
  return (
    <>
      {shown.map((trouble) => (
        <li key={trouble.kind === "agent" ? trouble.agent.id : trouble.worker.id}>
          <span className={trouble.what === "offline" ? css.bad : css.odd}>
            <Glyph name={glyphs[trouble.what]} />
          </span>
          {trouble.kind === "agent" ? (
            <AgentTrouble slug={slug} agent={trouble.agent} what={trouble.what} />
          ) : (
            <span className="grow">
              <AppLink href={paths.worker(slug, trouble.worker.id)}>{printable(trouble.worker.name)}</AppLink>{" "}
              {trouble.what === "full" ? "is at capacity" : trouble.what}
              <small>{trouble.what === "full" ? fullText(trouble.worker) : stateReason(trouble.worker, now)}</small>
            </span>
          )}
        </li>
      ))}
      {apart.length > shown.length ? (
        <li>
          <Glyph name="unknown" />
          <span className="grow">and {apart.length - shown.length} more with problems</span>
        </li>
      ) : null}
      {full.length > 0 ? <FullOnes slug={slug} workers={full} /> : null}
      {workers.isError && workers.data === undefined ? (
        <li>
          <Glyph name="unknown" />
          <span className="grow">Couldn't load the workers.</span>
          <Button variant="link" onClick={() => void workers.refetch()}>
            Try again
          </Button>
        </li>
      ) : null}
      <li>
        <span className={css.good}>
          <Glyph name="success" />
        </span>
        <span className="grow">
          {plural(health.healthyAgents.length, "agent")}
          {workers.data === undefined
            ? null
            : `, ${workers.data.next_cursor ? "at least " : ""}${plural(healthyWorkers, "worker")}`}{" "}
          healthy
          {isOpen ? <Names slug={slug} agents={health.healthyAgents} workers={health.healthyWorkers} /> : null}
        </span>
        {health.healthyAgents.length + healthyWorkers > 0 ? (
          <Button variant="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide" : "Show"}
            <span className="vh"> the healthy ones</span>
          </Button>
        ) : null}
      </li>
    </>
  );
}

function FullOnes({ slug, workers }: { slug: string; workers: readonly Worker[] }) {
  return (
    <li>
      <span className={css.odd}>
        <Glyph name={glyphs.full} />
      </span>
      <span className="grow">
        {plural(workers.length, "worker")} at capacity, tasks are waiting
        <Names slug={slug} agents={[]} workers={workers} />
      </span>
    </li>
  );
}

const namesShown = 12;

interface NamesProps {
  slug: string;
  agents: readonly Agent[];
  workers: readonly Worker[];
}

function Names({ slug, agents, workers }: NamesProps) {
  const links = [
    ...agents.map(({ id, name }) => ({ id, name, href: paths.agent(slug, id) })),
    ...workers.map(({ id, name }) => ({ id, name, href: paths.worker(slug, id) })),
  ];
  return (
    <small>
      {links.slice(0, namesShown).map(({ id, name, href }, at) => (
        <span key={id}>
          {at > 0 ? ", " : ""}
          <AppLink href={href}>{printable(name)}</AppLink>
        </span>
      ))}
      {links.length > namesShown ? (
        <>
          {" "}
          and {links.length - namesShown} more: <AppLink href={paths.workers(slug)}>all workers</AppLink>
        </>
      ) : null}
    </small>
  );
}

function Losses({ losses, windowLabel }: { losses: Gaps; windowLabel: string }) {
  const { gaps, isKnown, isBefore, error } = losses;
  if (!isKnown) {
    return (
      <li>
        <Glyph name="unknown" />
        <span className="grow">{error ? "Couldn't check for lost events." : "Checking for lost events…"}</span>
      </li>
    );
  }
  return (
    <li aria-busy={isBefore}>
      <span className={gaps.length > 0 ? css.odd : css.good}>
        <Glyph name={gaps.length > 0 ? "unknown" : "success"} />
      </span>
      <span className="grow">
        {gaps.length === 0 ? `No events lost, ${windowLabel}` : `Events lost, ${windowLabel}`}
        {gaps.length > 0 ? (
          <small>
            {lostText({ gaps })}: {whyText({ gaps })}
          </small>
        ) : null}
      </span>
    </li>
  );
}

const glyphs = {
  offline: "failure",
  full: "half",
  outdated: "high",
  "not connected": "pending",
} as const satisfies Record<Trouble["what"], string>;

const agentLabels = {
  offline: "new tasks from its engines don't appear until it reconnects",
  outdated: "its version doesn't match the server's; upgrade the older one",
  "not connected": "has not connected since it was created",
} as const;

function AgentTrouble({ slug, agent, what }: { slug: string; agent: Agent; what: keyof typeof agentLabels }) {
  return (
    <span className="grow">
      <AppLink href={paths.agent(slug, agent.id)}>Agent {printable(agent.name)}</AppLink> {what}
      {what === "offline" ? (
        <>
          {" "}
          for <Age at={agent.last_seen_at} />
        </>
      ) : null}
      <small>{agentLabels[what]}</small>
    </span>
  );
}

function fullText({ active_tasks: active, concurrency }: Worker): string {
  return `${active} of ${concurrency ?? active} slots in use`;
}
