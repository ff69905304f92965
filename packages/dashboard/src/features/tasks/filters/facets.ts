import type { Facet, FacetField, TaskFilters } from "@svc/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTimedMs } from "../../../live/live.ts";
import { statsQuery } from "../../projects/index.ts";
import { facetQuery } from "../../task-data/index.ts";
import { countsOf, countText } from "../state-counts.ts";
import type { Counts } from "./StateRail.tsx";

/** Values per read; if there are more, the typed text is used as a prefix. */
export const valuesAtOnce = 100;
const renewedMs = 15_000;

export interface KnownValue {
  value: string;
  /** `412`, or `10k+` for a lower bound; empty if not counted. */
  count: string;
}

export type Known = Partial<Readonly<Record<FacetField, readonly KnownValue[]>>>;

/** State counts under the list's other filters; without filters they come from the project's figures, which are pushed. */
export function useStateCounts(slug: string, { state: _, ...others }: TaskFilters): Counts | null {
  const isFiltered = Object.keys(others).length > 0;
  const everyMs = useTimedMs(renewedMs);
  const facet = useQuery({
    ...facetQuery(slug, { ...others, field: "state" }),
    refetchInterval: everyMs,
    enabled: isFiltered,
  });
  const stats = useQuery(statsQuery(slug));
  return useMemo(() => {
    if (isFiltered) return countsOf(facet.data);
    if (!stats.data) return null;
    const values = Object.entries(stats.data.tasks_by_state).map(([value, count]) => ({ value, count, exact: true }));
    return countsOf({ field: "state", values });
  }, [isFiltered, facet.data, stats.data]);
}

/** The text typed in the filter bar, and the fields whose values it may match. */
export interface WantedValues {
  fields: readonly FacetField[];
  typed: string;
}

/** Values of the wanted fields with their counts; if there are many, values with the typed prefix are loaded too. */
export function useKnown(slug: string, filters: TaskFilters, wanted: WantedValues | null): Known {
  const fields = wanted?.fields ?? [];
  const queryOf = (field: FacetField) => {
    const { [field as keyof TaskFilters]: _, ...others } = filters;
    return { ...others, field, limit: valuesAtOnce };
  };
  const first = useQueries({ queries: fields.map((field) => facetQuery(slug, queryOf(field))) });
  const full = fields.filter((_, at) => (first[at]?.data?.values.length ?? 0) >= valuesAtOnce);
  const prefix = wanted?.typed ?? "";
  const withPrefix = useQueries({
    queries: (prefix === "" ? [] : full).map((field) => facetQuery(slug, { ...queryOf(field), prefix })),
  });
  return knownOf([...withPrefix, ...first].map(({ data }) => data));
}

/** The distinct values of several reads by field, in order. */
export function knownOf(facets: readonly (Facet | undefined)[]): Known {
  const found: Partial<Record<FacetField, KnownValue[]>> = {};
  for (const facet of facets) {
    if (!facet) continue;
    const values = found[facet.field] ?? [];
    found[facet.field] = values;
    const known = new Set(values.map((one) => one.value));
    for (const one of facet.values) {
      if (!known.has(one.value)) values.push({ value: one.value, count: countText(one) });
    }
  }
  return found;
}
