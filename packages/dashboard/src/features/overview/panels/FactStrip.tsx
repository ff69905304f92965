import { type Agent, type Latency, type ProjectStats, plural, type Queue, type QueueActivities } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Glyph } from "../../../ui/Icon.tsx";
import { finishedMeans, labels } from "../../../ui/labels.ts";
import { count, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { hasNoConsumer } from "../../queues/index.ts";
import css from "../overview.module.css";
import { backlogAnHourAgo } from "./backlog.ts";
import {
  durationParts,
  type Ends,
  type FigureChange,
  failureShare,
  pointChange,
  rateDigits,
  relativeChange,
} from "./facts.ts";

type Read<Data> = Pick<UseQueryResult<Data>, "data" | "isError" | "isPlaceholderData">;

type Totals = Latency["total"];

interface FactStripProps {
  /** The window as text, such as `last 24 h`. */
  window: string;
  ends: Read<Ends>;
  endsBefore: Read<Ends>;
  latency: Read<Totals>;
  latencyBefore: Read<Totals>;
  queues: Read<{ items: Queue[]; next_cursor: string | null }>;
  /** Depths of the last hour; optional for the figure. */
  depths: QueueActivities | undefined;
  agents: Read<{ items: Agent[] }>;
  /** Gives the number of online agents before the list of agents has loaded. */
  stats: ProjectStats | undefined;
}

/** Six figures, each with its window; those of a window also with the change from the previous one. */
export function FactStrip(props: FactStripProps) {
  const { window, ends, endsBefore, latency, latencyBefore, queues, depths, agents, stats } = props;
  return (
    <dl className={css.facts} aria-label={`Figures, ${window}, compared with the period before`}>
      <Fact name={`${labels.finished}, ${window}`} title={finishedMeans} read={ends} before={endsBefore}>
        {(now) => <Finished now={now} before={endsBefore.data ?? null} />}
      </Fact>
      <Fact name={`Failure rate, ${window}`} read={ends} before={endsBefore}>
        {(now) => <FailureRate now={now} before={endsBefore.data ?? null} />}
      </Fact>
      <Fact name={`p95 run, ${window}`} read={latency} before={latencyBefore}>
        {({ run }) => <Duration p95={run?.p95 ?? null} before={latencyBefore.data?.run?.p95 ?? null} />}
      </Fact>
      <Fact name={`p95 wait, ${window}`} read={latency} before={latencyBefore}>
        {({ wait }) => <Duration p95={wait?.p95 ?? null} before={latencyBefore.data?.wait?.p95 ?? null} />}
      </Fact>
      <Fact name={`${labels.waiting}, now`} read={queues}>
        {({ items, next_cursor: next }) => (
          <WaitingNow
            queues={items}
            isAll={next === null}
            before={next === null ? backlogAnHourAgo(items, depths) : null}
          />
        )}
      </Fact>
      {agents.data === undefined && stats !== undefined ? (
        <Fact name="Agents online, now" read={{ data: stats, isError: false, isPlaceholderData: false }}>
          {({ agents_online: online, agents_offline: others }) => <OnlineOf online={online} total={online + others} />}
        </Fact>
      ) : (
        <Fact name="Agents online, now" read={agents}>
          {({ items }) => <AgentsOnline agents={items} />}
        </Fact>
      )}
    </dl>
  );
}

interface FactProps<Data> {
  name: string;
  /** What is counted. */
  title?: string;
  read: Read<Data>;
  /** The figure to compare with. */
  before?: Read<unknown>;
  children: (data: Data) => ReactNode;
}

function Fact<Data>({ name, title, read, before, children }: FactProps<Data>) {
  const isOfBefore = read.isPlaceholderData || before?.isPlaceholderData === true;
  return (
    <div className={css.fact} aria-busy={isOfBefore}>
      <dt className="cut" title={title}>
        {name}
      </dt>
      {read.data !== undefined ? (
        children(read.data)
      ) : read.isError ? (
        <dd className={css.none}>not available</dd>
      ) : (
        <dd className={css.none}>
          <span aria-hidden="true">–</span>
          <span className="vh">loading</span>
        </dd>
      )}
    </div>
  );
}

function ChangeLine({ change, children }: { change: FigureChange | null; children?: ReactNode }) {
  if (change === null && !children) return null;
  return (
    <dd className={change?.isWorse ? `${css.change} ${css.worse}` : css.change}>
      {change ? (
        <>
          {change.text}
          {change.isWorse ? <span className="vh">, worse</span> : null}
        </>
      ) : null}
      {change && children ? ", " : null}
      {children}
    </dd>
  );
}

function Finished({ now: { finished }, before }: { now: Ends; before: Ends | null }) {
  const [digits, unit] = plural(finished, "task").split(" ");
  return (
    <>
      <dd className={css.value}>
        <b>{digits}</b>
        <span className={css.unit}>{unit}</span>
      </dd>
      <ChangeLine change={relativeChange(finished, before?.finished ?? null, "plain")}>
        {before?.finished === 0 ? "no earlier data" : null}
      </ChangeLine>
    </>
  );
}

function FailureRate({ now, before }: { now: Ends; before: Ends | null }) {
  const share = failureShare(now);
  if (share === null) return <dd className={css.none}>none succeeded or failed</dd>;
  return (
    <>
      <dd className={css.value}>
        <b>{rateDigits(share)}</b>
        <span className={css.unit}>%</span>
      </dd>
      <ChangeLine change={pointChange(share, before && failureShare(before))}>{count(now.failed)} failed</ChangeLine>
    </>
  );
}

function Duration({ p95, before }: { p95: number | null; before: number | null }) {
  if (p95 === null) return <dd className={css.none}>none measured</dd>;
  return (
    <>
      <dd className={css.value}>
        {durationParts(p95).map(([digits, unit]) => (
          <span key={unit}>
            <b>{digits}</b>
            <span className={css.unit}>{unit}</span>
          </span>
        ))}
      </dd>
      <ChangeLine change={relativeChange(p95, before, "worse")} />
    </>
  );
}

interface WaitingNowProps {
  queues: Queue[];
  isAll: boolean;
  /** An hour ago; null when unknown. */
  before: number | null;
}

/** Growth is marked from this number of waiting tasks. */
const notableWaiting = 20;

function WaitingNow({ queues, isAll, before }: WaitingNowProps) {
  const waiting = queues.reduce((sum, queue) => sum + queue.pending_count, 0);
  const oldest = queues
    .filter((queue) => queue.pending_count > 0)
    .flatMap((queue) => queue.oldest_waiting_since ?? [])
    .toSorted()[0];
  const change = relativeChange(waiting, before, waiting >= notableWaiting ? "worse" : "plain");
  const [digits, unit] = plural(waiting, "task").split(" ");
  const untaken = queues.find((queue) => queue.pending_count > 0 && hasNoConsumer(queue));
  return (
    <>
      <dd className={css.value}>
        {isAll ? null : <span className={css.least}>at least</span>}
        <b>{digits}</b>
        <span className={css.unit}>{unit}</span>
      </dd>
      {untaken ? (
        <dd className={`${css.change} ${css.wrong}`}>
          <Glyph name="failure" />
          <span className="cut" title={`${printable(untaken.name)} has waiting tasks and no workers`}>
            no workers on {printable(untaken.name)}
          </span>
        </dd>
      ) : (
        <ChangeLine change={change && { ...change, text: `${change.text} in 1 h` }}>
          {oldest ? (
            <>
              oldest {change ? null : "waiting "}
              <Age at={oldest} />
            </>
          ) : null}
        </ChangeLine>
      )}
    </>
  );
}

function AgentsOnline({ agents }: { agents: Agent[] }) {
  const away = agents.filter((agent) => agent.state !== "online" && agent.last_seen_at);
  const longest = away.toSorted((a, b) => (a.last_seen_at ?? "").localeCompare(b.last_seen_at ?? ""))[0];
  return (
    <>
      <OnlineOf
        online={agents.filter((agent) => agent.state === "online").length}
        total={agents.filter((agent) => agent.state !== "unknown").length}
      />
      {longest ? (
        <dd className={`${css.change} ${css.wrong}`}>
          <Glyph name="failure" />
          <span className="cut">
            {printable(longest.name)} offline <Age at={longest.last_seen_at} />
            {away.length > 1 ? ` and ${away.length - 1} more` : ""}
          </span>
        </dd>
      ) : null}
    </>
  );
}

function OnlineOf({ online, total }: { online: number; total: number }) {
  if (total === 0) return <dd className={css.none}>none yet</dd>;
  return (
    <dd className={css.value}>
      <b>{count(online)}</b>
      <span className={css.unit}>of {count(total)}</span>
    </dd>
  );
}
