import type { Agent, Project } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useDroppedParams } from "../../address/page-search.ts";
import { paths } from "../../address/paths.ts";
import { type RefusedRange, useRefusedRange } from "../../address/time-range.ts";
import { agentsQuery } from "../../features/agents/queries.ts";
import { statsQuery } from "../../features/projects/queries.ts";
import { useMe } from "../../features/sessions/queries.ts";
import { heardAt } from "../../live/connection.ts";
import { useConnection, useIsStreamSettled, usePollMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { NoteLine } from "../../ui/panels/Feedback.tsx";
import { age, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { EnrollmentNotice } from "./EnrollmentNotice.tsx";
import { SessionNotice, useNearEnd } from "./SessionNotice.tsx";

/** One line at a time, by rank: a session about to end, no server, nothing heard, a second factor to set up, archived project, what is left out of the address, no agent online, an agent too old. */
export function Banner(props: { slug?: string; project?: Project | undefined }) {
  const line = useLine(props);
  return line === null ? null : <section aria-label="Notice">{line}</section>;
}

function useLine({ slug, project }: { slug?: string; project?: Project | undefined }): ReactNode {
  const { mode, now, facts } = useConnection();
  const pollMs = usePollMs();
  const stats = useQuery({ ...statsQuery(slug ?? ""), enabled: slug !== undefined });
  const isNoneOnline = stats.data !== undefined && stats.data.agents_online === 0 && stats.data.agents_offline > 0;
  const isLater = useLater();
  // Read once the stream has begun or failed: what is read before it begins would have to be read again. The figures tell
  // whether an agent is online; who they are is no part of the first screen unless none is.
  const isSettled = useIsStreamSettled();
  const agents = useQuery({
    ...agentsQuery(slug ?? ""),
    enabled: slug !== undefined && isSettled && (isNoneOnline || isLater),
    refetchInterval: pollMs,
  });
  const refused = useRefusedRange();
  const dropped = useDroppedParams();
  const sessionEnds = useNearEnd();
  const me = useMe();
  const heard = heardAt(facts);
  const old = heard === null ? null : <>Figures are {age(now - heard)} old.</>;
  if (sessionEnds !== null) return <SessionNotice end={sessionEnds} />;
  if (mode === "offline") {
    return (
      <NoteLine glyph="failure" aside={old}>
        The server does not answer. What you see is from before; it is read again by itself.
      </NoteLine>
    );
  }
  if (mode === "stale") {
    return (
      <NoteLine glyph="unknown" aside={old}>
        Nothing has arrived for longer than expected. What you see may be out of date.
      </NoteLine>
    );
  }
  if (me.mfa_enrollment_required) return <EnrollmentNotice deadline={me.mfa_enrollment_deadline ?? null} />;
  if (slug !== undefined && project && !project.is_active) {
    return (
      <NoteLine glyph="revoked">
        This project is archived: everything can be read, nothing changed, and its agents are refused. Its{" "}
        <AppLink href={paths.general(slug)}>settings</AppLink> restore it.
      </NoteLine>
    );
  }
  if (refused !== null || dropped.length > 0) return leftOutLine(refused, dropped);
  return slug === undefined ? null : agentsLine(slug, agents.data?.items ?? []);
}

const namedParams = 8;
const longestName = 40;

function leftOutLine(refused: RefusedRange | null, dropped: readonly string[]): ReactNode {
  const bounds: readonly string[] = refused?.bounds ?? [];
  const what = bounds.map((bound) => (bound === "since" ? "beginning" : "end")).join(" and the ");
  const others = dropped.filter((name) => !bounds.includes(name));
  const names = others.slice(0, namedParams).map((name) => printable(name.slice(0, longestName)));
  return (
    <NoteLine>
      {refused === null
        ? null
        : `The ${what} of the time range in the address cannot be used. Shown: ${refused.label}. `}
      {names.length === 0
        ? null
        : `Not understood and left out of the address: ${names.join(", ")}${others.length > namedParams ? " and more" : ""}.`}
    </NoteLine>
  );
}

const laterMs = 4_000;

/** False while a page is being opened. */
function useLater(): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), laterMs);
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}

function agentsLine(slug: string, agents: readonly Agent[]): ReactNode {
  const wasSeen = agents.some((agent) => agent.last_seen_at);
  if (wasSeen && !agents.some((agent) => agent.state === "online")) {
    const last = agents
      .map((agent) => agent.last_seen_at ?? "")
      .sort()
      .at(-1);
    return (
      <NoteLine glyph="failure" aside={<Age at={last ?? null} suffix=" ago" />}>
        No agent is online, so nothing new arrives. <AppLink href={paths.agents(slug)}>Agents</AppLink> were last seen
      </NoteLine>
    );
  }
  const [first, ...others] = agents.filter((agent) => agent.version_status === "incompatible");
  if (first === undefined) return null;
  return (
    <NoteLine glyph="rejected">
      <AppLink href={paths.agent(slug, first.id)}>{printable(first.name)}</AppLink>
      {others.length > 0 ? ` and ${others.length} other ${others.length === 1 ? "agent" : "agents"} run` : " runs"} a
      version that this server does not know how to serve
      {first.agent_version ? ` (${printable(first.agent_version)})` : ""}. Upgrade to be sure that nothing is lost.
    </NoteLine>
  );
}
