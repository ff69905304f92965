import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../../api.ts";
import { useTimedMs } from "../../live/live.ts";
import { type LossGap, readGaps } from "../../ui/gap-band/gaps.ts";

interface GapRange {
  /** ISO instants; the API's own last 24 h without them. */
  since?: string | undefined;
  until?: string | undefined;
}

const gapsQuery = (slug: string, { since, until }: GapRange) =>
  queryOptions({
    queryKey: ["completeness", slug, since ?? null, until ?? null],
    queryFn: ({ signal }) =>
      api.getCompleteness(slug, { ...(since && { since }), ...(until && { until }) }, { signal }),
    staleTime: 15_000,
  });

const none: readonly LossGap[] = [];

/**
 * Where events of the project were lost, newest end first. Renewed by a timer, since no push tells of it. `error` is for a page that
 * wants to say that it does not know; lists and charts go on without their bands.
 */
export function useGaps(slug: string, range: GapRange = {}): { gaps: readonly LossGap[]; error: Error | null } {
  const everyMs = useTimedMs(30_000);
  const { data, error } = useQuery({ ...gapsQuery(slug, range), refetchInterval: everyMs });
  const gaps = useMemo(() => (data === undefined ? none : readGaps(data.gaps)), [data]);
  return { gaps, error };
}
