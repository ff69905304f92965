import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../../../api/api.ts";
import { useTimedMs } from "../../../live/live.ts";
import { type LossGap, readGaps } from "../../../ui/gap-band/gaps.ts";

interface GapRange {
  /** ISO timestamps; the last 24 h without them. */
  since?: string | undefined;
  until?: string | undefined;
}

export const gapsQuery = (slug: string, { since, until }: GapRange = {}) =>
  queryOptions({
    queryKey: ["completeness", slug, since ?? null, until ?? null],
    queryFn: ({ signal }) =>
      api.getCompleteness(slug, { ...(since && { since }), ...(until && { until }) }, { signal }),
    staleTime: 15_000,
  });

const none: readonly LossGap[] = [];

export interface Gaps {
  gaps: readonly LossGap[];
  /** Whether `gaps` is loaded. Until then an empty list does not mean that nothing was lost. */
  isKnown: boolean;
  /** Whether `gaps` belongs to the previous range, while the new one loads. */
  isBefore: boolean;
  error: Error | null;
}

/**
 * Where events of the project were lost, newest end first. Polled, since there is no change event. Lists and charts work without gaps;
 * `error` is for pages that show the failure. While a new range loads, the gaps of the previous one stay.
 */
export function useGaps(slug: string, range: GapRange = {}, enabled = true): Gaps {
  const everyMs = useTimedMs(30_000);
  const { data, error, isPlaceholderData } = useQuery({
    ...gapsQuery(slug, range),
    refetchInterval: everyMs,
    enabled,
    placeholderData: (old, query) => (query?.queryKey[1] === slug ? old : undefined),
  });
  const gaps = useMemo(() => (data === undefined ? none : readGaps(data.gaps)), [data]);
  return { gaps, isKnown: data !== undefined, isBefore: isPlaceholderData, error };
}
