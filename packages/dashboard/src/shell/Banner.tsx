import type { Project } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../features/agents/queries.ts";
import { useConnection, usePollMs } from "../live/live.ts";
import { NoteLine } from "../ui/Feedback.tsx";
import { Age } from "../ui/Stamp.tsx";

/** One line at a time, by rank: no server, archived project, no agent online. */
export function Banner({ slug, project }: { slug?: string; project?: Project | undefined }) {
  const { mode, facts } = useConnection();
  const pollMs = usePollMs();
  // Read once the stream has begun or failed: what is read before it begins would have to be read again.
  const isSettled = facts.isReady || facts.retryAt !== null || facts.isPaused || facts.isUnreachable;
  const agents = useQuery({
    ...agentsQuery(slug ?? ""),
    enabled: slug !== undefined && isSettled,
    refetchInterval: pollMs,
  });
  if (mode === "offline") {
    return (
      <NoteLine glyph="failure">
        The server does not answer. What you see is from before; it is read again by itself.
      </NoteLine>
    );
  }
  if (project && !project.is_active) {
    return (
      <NoteLine glyph="revoked">This project is archived: its tasks can be read, its agents are refused.</NoteLine>
    );
  }
  const items = agents.data?.items ?? [];
  const wasSeen = items.some((agent) => agent.last_seen_at);
  if (wasSeen && !items.some((agent) => agent.state === "online")) {
    const last = items
      .map((agent) => agent.last_seen_at ?? "")
      .sort()
      .at(-1);
    return (
      <NoteLine glyph="failure">
        No agent is online, so nothing new arrives. Last seen <Age at={last ?? null} suffix=" ago" />.
      </NoteLine>
    );
  }
  return null;
}
