import { type Agent, plural } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { paths } from "../../address/paths.ts";
import { useIsStreamSettled, usePollMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import { printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { statsQuery } from "../projects/index.ts";
import { agentsQuery } from "./queries.ts";

/** The notice that no agent is online or that one is incompatible; null otherwise. */
export function useAgentsNotice(slug: string | undefined): ReactNode {
  const pollMs = usePollMs();
  const stats = useQuery({ ...statsQuery(slug ?? ""), enabled: slug !== undefined });
  const isNoneOnline = stats.data !== undefined && stats.data.agents_online === 0 && stats.data.agents_offline > 0;
  const isLater = useLater();
  // Loaded once the stream has connected or failed: an earlier read would have to be repeated. The stats show whether an
  // agent is online; the first screen needs the list only if none is.
  const isSettled = useIsStreamSettled();
  const agents = useQuery({
    ...agentsQuery(slug ?? ""),
    enabled: slug !== undefined && isSettled && (isNoneOnline || isLater),
    refetchInterval: pollMs,
  });
  return slug === undefined ? null : agentsLine(slug, agents.data?.items ?? []);
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
        No agent is online, so no new data arrives. <AppLink href={paths.agents(slug)}>Agents</AppLink> were last seen
      </NoteLine>
    );
  }
  const [first, ...others] = agents.filter((agent) => agent.version_status === "incompatible");
  if (first === undefined) return null;
  return (
    <NoteLine glyph="rejected">
      <AppLink href={paths.agent(slug, first.id)}>{printable(first.name)}</AppLink>
      {others.length > 0 ? ` and ${plural(others.length, "other agent")} run` : " runs"} a version that is incompatible
      with this server
      {first.agent_version ? ` (${printable(first.agent_version)})` : ""}. Upgrade the{" "}
      {others.length > 0 ? "agents" : "agent"} or the server, whichever is older.
    </NoteLine>
  );
}
