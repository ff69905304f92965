import { skipToken, useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import type { Loaded } from "../features/dead-letters/index.ts";
import { useIsStreamSettled, useTimedMs } from "../live/live.ts";
import type { BadgeProps } from "../shell/pages.ts";
import { RailBadge } from "../shell/rail/RailBadge.tsx";

// Counts next to the page labels in the rail. Most come from the figures that the rail reads anyway.

export function RunningTasks({ stats }: BadgeProps) {
  const running = stats?.tasks_by_state?.started ?? 0;
  return <RailBadge count={running} text={`${running} running`} />;
}

export function OfflineAgents({ stats }: BadgeProps) {
  const offline = stats?.agents_offline ?? 0;
  return <RailBadge count={offline} text={`${offline} offline`} isBad />;
}

export function MissingWorkers({ stats }: BadgeProps) {
  // Without an agent, the state of workers is unknown.
  const missing = stats?.agents_online ? stats.workers_missing : 0;
  return <RailBadge count={missing} text={`${missing} offline`} isBad />;
}

/** Schedules that fire again only after someone acts. */
export function StoppedSchedules({ stats }: BadgeProps) {
  // Older servers do not count them.
  const stopped = stats?.schedules_stopped ?? 0;
  return <RailBadge count={stopped} text={`${stopped} stopped`} isBad />;
}

/** Commands that have not ended. */
export function OpenCommands({ stats }: BadgeProps) {
  const open = (stats?.commands_pending ?? 0) + (stats?.commands_dispatched ?? 0);
  return <RailBadge count={open} text={`${open} open`} />;
}

const issuesRead = 50;
const dayMs = 86_400_000;

/** Issues first seen within the last 24 hours, among the most recent failures. */
export function NewIssues({ slug }: BadgeProps) {
  const { data } = useQuery({
    queryKey: ["issues", slug, "rail"],
    queryFn: ({ signal }) => api.listIssues(slug, { hours: 24, limit: issuesRead }, { signal }),
    // After the reads of the page itself.
    enabled: useIsStreamSettled(),
    staleTime: 30_000,
    refetchInterval: useTimedMs(60_000),
    meta: { quiet: true },
  });
  if (data === undefined) return null;
  const since = Date.now() - dayMs;
  const found = data.items.filter((issue) => issue.status === "ongoing" && Date.parse(issue.first_seen) >= since);
  const isCut = data.next_cursor !== null;
  return <RailBadge count={found.length} text={`${found.length}${isCut ? " or more" : ""} new in 24 h`} />;
}

/** Dead letters are counted when a user loads them from an agent, never by this badge. */
export function KnownDeadLetters({ slug }: BadgeProps) {
  const { data } = useQuery<Loaded>({ queryKey: ["dead-letters", slug], queryFn: skipToken });
  if (data === undefined) return null;
  const total = data.total ?? data.entries.length;
  return <RailBadge count={total} text={`${total} when last loaded`} />;
}
