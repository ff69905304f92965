import type { Agent, BulkRetryFilter, Facet, FacetField, TaskFilters } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../../agents/index.ts";
import { facetQuery, taskTotalQuery } from "../../../task-data/index.ts";
import { type Eligibility, eligibleAgents } from "../../requests/eligible-agents.ts";

/** The matching tasks of one engine, and the agents that could retry them. */
export interface EngineShare {
  engine: string;
  /** A lower bound unless `isExact`; null if not counted. */
  tasks: number | null;
  isExact: boolean;
  eligibility: Eligibility;
}

export interface Matching {
  /** The number of tasks that match now; null until it is counted. */
  total: number | null;
  engines: readonly EngineShare[] | null;
  queues: Facet["values"] | null;
  /** Why the retry can't start yet; null once the matches are known. */
  reason: string | null;
}

/** The tasks that a bulk retry would include if it started now. */
export function useMatching(slug: string, filters: TaskFilters, filter: BulkRetryFilter): Matching {
  // The count of the list may be old.
  const total = useQuery({ ...taskTotalQuery(slug, filters), staleTime: 0 });
  const agents = useQuery(agentsQuery(slug));
  // A facet ignores filters on its own field, so with such a filter it would count too many tasks.
  const { engine, queue } = filter;
  const facetOf = (field: FacetField) => ({ ...facetQuery(slug, { ...filters, field, limit: 100 }), staleTime: 0 });
  const engines = useQuery({ ...facetOf("engine"), enabled: engine === undefined });
  const queues = useQuery({ ...facetOf("queue"), enabled: queue === undefined });
  const counted = total.data ?? null;
  const shares =
    engine === undefined
      ? (engines.data?.values ?? null)
      : [{ value: engine, count: counted ?? 0, exact: counted !== null }];
  return {
    total: counted,
    engines:
      shares?.map(({ value, count, exact }) => ({
        engine: value,
        tasks: engine === undefined || counted !== null ? count : null,
        isExact: exact,
        eligibility: eligibilityOf(agents.data?.items, value),
      })) ?? null,
    queues: queue === undefined ? (queues.data?.values ?? null) : null,
    reason: [total, engines, agents].some(({ isError }) => isError)
      ? "Couldn't load the matching tasks. Close this and try again"
      : total.isFetching || engines.isLoading || agents.data === undefined
        ? "Counting matching tasks"
        : null,
  };
}

const eligibilityOf = (agents: readonly Agent[] | undefined, engine: string): Eligibility =>
  agents === undefined
    ? { agents: [], resubmits: false, reason: "Checking which agents are online" }
    : eligibleAgents(agents, engine, "bulk_retry");
