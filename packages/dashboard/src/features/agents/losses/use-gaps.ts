import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../../../api/api.ts";
import { useTimedMs } from "../../../live/live.ts";
import { type LossGap, readGaps } from "../../../ui/gap-band/gaps.ts";

interface GapRange {
  /** ISO instants; the API's own last 24 h without them. */
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
  /** Whether `gaps` is an answer: without one nobody may say that nothing was lost. */
  isKnown: boolean;
  /** The answer is of the range before; the one for this range is on its way. */
  isBefore: boolean;
  error: Error | null;
}

/**
 * Where events of the project were lost, newest end first. Renewed by a timer, since no push tells of it. `error` is for a page that
 * wants to say that it does not know; lists and charts go on without their bands. While a range that moved or changed is read, the
 * answer for the one before stays.
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
