import { skipToken, useQuery } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { useTimedMs } from "../../live/live.ts";
import { RailBadge } from "../../shell/rail/RailBadge.tsx";
import type { Loaded } from "../dead-letters/use-letters.ts";
import { statsQuery } from "./queries.ts";

interface OfProject {
  slug: string;
}

const parts = { issues: NewIssues, "dead-letters": KnownLetters, commands: OpenCommands } as const;
export type CountedPage = keyof typeof parts;

/** The live count beside a page's name in the rail. None of them is needed for the first screen. */
export function RailCount({ slug, page }: OfProject & { page: CountedPage }) {
  const Part = parts[page];
  return <Part slug={slug} />;
}

const issuesRead = 50;
const dayMs = 86_400_000;

/** Issues that were first seen within the last 24 hours, among those that failed last. */
function NewIssues({ slug }: OfProject) {
  const { data } = useQuery({
    queryKey: ["issues", slug, "rail"],
    queryFn: ({ signal }) => api.listIssues(slug, { hours: 24, limit: issuesRead }, { signal }),
    staleTime: 30_000,
    refetchInterval: useTimedMs(60_000),
    meta: { quiet: true },
  });
  if (data === undefined) return null;
  const since = Date.now() - dayMs;
  const found = data.items.filter((issue) => issue.status === "ongoing" && Date.parse(issue.first_seen) >= since);
  const isCut = data.next_cursor !== null;
  return <RailBadge count={found.length} says={`${found.length}${isCut ? " or more" : ""} new in 24 h`} />;
}

/** Dead letters are counted when somebody asks an agent, and never by this. */
function KnownLetters({ slug }: OfProject) {
  const { data } = useQuery<Loaded>({ queryKey: ["dead-letters", slug], queryFn: skipToken });
  if (data === undefined) return null;
  const total = data.total ?? data.entries.length;
  return <RailBadge count={total} says={`${total} when they were last loaded`} />;
}

/** Commands that have not ended. */
function OpenCommands({ slug }: OfProject) {
  const { data } = useQuery(statsQuery(slug));
  const open = (data?.commands_pending ?? 0) + (data?.commands_dispatched ?? 0);
  return <RailBadge count={open} says={`${open} under way`} />;
}
