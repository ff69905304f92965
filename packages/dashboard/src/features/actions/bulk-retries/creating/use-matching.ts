import type { Agent, BulkRetryFilter, Facet, FacetField, TaskFilters } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../../agents/queries.ts";
import { facetQuery, taskTotalQuery } from "../../../tasks/list-queries.ts";
import { type Able, ableAgents } from "../../requests/able.ts";

/** How many tasks one engine has of those that match, and who could retry them. */
export interface EngineShare {
  engine: string;
  /** At least so many, when it is not exact; null when nobody counted. */
  tasks: number | null;
  isExact: boolean;
  able: Able;
}

export interface Matching {
  /** All that match now; null while or where that is not counted. */
  total: number | null;
  engines: readonly EngineShare[] | null;
  queues: Facet["values"] | null;
  /** Why it cannot be begun yet; null once what matches is known. */
  reason: string | null;
}

/** What a bulk retry would mean if it were made now. */
export function useMatching(slug: string, filters: TaskFilters, filter: BulkRetryFilter): Matching {
  // Not what the list counted some time ago.
  const total = useQuery({ ...taskTotalQuery(slug, filters), staleTime: 0 });
  const agents = useQuery(agentsQuery(slug));
  // A facet leaves aside what asks for values of its own field, and says more than what matches then.
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
        able: ableOf(agents.data?.items, value),
      })) ?? null,
    queues: queue === undefined ? (queues.data?.values ?? null) : null,
    reason: [total, engines, agents].some(({ isError }) => isError)
      ? "What matches could not be read: close this and try again"
      : total.isFetching || engines.isLoading || agents.data === undefined
        ? "Looking what matches now"
        : null,
  };
}

const ableOf = (agents: readonly Agent[] | undefined, engine: string): Able =>
  agents === undefined
    ? { agents: [], resubmits: false, reason: "Looking which agents are online" }
    : ableAgents(agents, engine, "bulk_retry");
