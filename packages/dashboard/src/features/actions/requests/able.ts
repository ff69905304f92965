import type { Agent } from "@svc/client";

/** What an agent must report that it can do, named like the actions. */
export type Capability =
  | "retry_task"
  | "cancel_task"
  | "bulk_retry"
  | "requeue_dead_letter"
  | "list_dead_letters"
  | "purge_queue"
  | "restart_worker"
  | "pool_grow"
  | "pool_shrink"
  | "add_consumer"
  | "cancel_consumer"
  | "rate_limit"
  // The same of a worker and of a queue: an engine limits either the one or the other.
  | "rate_limit_of_worker"
  | "rate_limit_of_queue";

const resubmitsMarker = "retry_resubmits";
const byQueueMarker = "rate_limit_by_queue";
/** Either of them is a promise of how the adapter retries. */
const contractMarkers: readonly unknown[] = ["retry_by_reference_v1", resubmitsMarker];
const retries: readonly Capability[] = ["retry_task", "bulk_retry"];
const ofRate: readonly Capability[] = ["rate_limit_of_worker", "rate_limit_of_queue"];
/** Agents that only fetch commands say nothing of themselves: the service takes them at their operator's word for all but these. */
const closedToPolls: readonly Capability[] = ["bulk_retry", "list_dead_letters"];

export interface Able {
  /** Agents that may be asked, those that say they can first. */
  agents: Agent[];
  /** The first of them can only submit again, which needs inputs. */
  resubmits: boolean;
  /** Why there is none. */
  reason: string | null;
}

const verbs: Record<Capability, string> = {
  retry_task: "retry tasks",
  cancel_task: "cancel tasks",
  bulk_retry: "retry several tasks at once",
  requeue_dead_letter: "requeue dead letters",
  list_dead_letters: "list dead letters",
  purge_queue: "purge queues",
  restart_worker: "restart workers",
  pool_grow: "grow pools",
  pool_shrink: "shrink pools",
  add_consumer: "add consumers",
  cancel_consumer: "cancel consumers",
  rate_limit: "limit rates",
  rate_limit_of_worker: "limit rates",
  rate_limit_of_queue: "limit rates",
};

/** Which agents can do something for an engine; without one, why not, from the nearest miss. */
export function ableAgents(agents: readonly Agent[], engine: string, capability: Capability): Able {
  const online = agents.filter((agent) => agent.state === "online" && agent.engine_adapters.length > 0);
  const serving = online.filter((agent) => tokensOf(agent, engine) !== null);
  const token = ofRate.includes(capability) ? "rate_limit" : capability;
  const able = serving.filter((agent) => tokensOf(agent, engine)?.includes(token));
  const limitsElsewhere = whereElse(capability, engine, { isByQueue: limitsQueues(agents, engine), able });
  if (limitsElsewhere !== null) return { agents: [], resubmits: false, reason: limitsElsewhere };
  const kept = retries.includes(capability)
    ? able.filter((agent) => tokensOf(agent, engine)?.some((marker) => contractMarkers.includes(marker)))
    : able;
  // Several tasks are retried with the inputs that the engine kept, never by submitting them again.
  const safe =
    capability === "bulk_retry" ? kept.filter((agent) => !tokensOf(agent, engine)?.includes(resubmitsMarker)) : kept;
  const polling = closedToPolls.includes(capability) ? [] : agents.filter(isPolling);
  const chosen = [...safe, ...polling];
  const resubmits = retries.includes(capability) && (tokensOf(safe[0], engine)?.includes(resubmitsMarker) ?? false);
  if (chosen.length > 0) return { agents: chosen, resubmits, reason: null };
  const reason =
    kept.length > 0
      ? `${engine} retries by submitting tasks again, which needs the inputs of each: retry them one by one`
      : able.length > 0
        ? `The agents of ${engine} do not retry safely: update them`
        : serving.length > 0
          ? `No online agent of ${engine} can ${verbs[capability]}`
          : online.length > 0
            ? `No online agent serves ${engine}`
            : "No agent is online";
  return { agents: [], resubmits: false, reason };
}

/** Why the engine does not have an action, as its online agents report it; null where it has, or where none is online to say so. */
export function whyUnsupported(agents: readonly Agent[], engine: string, capability: Capability): string | null {
  const isServed = agents.some((agent) => agent.state === "online" && tokensOf(agent, engine) !== null);
  return isServed ? ableAgents(agents, engine, capability).reason : null;
}

/** How an engine limits rates is the same with all its agents, so an offline one answers for those that report nothing. */
const limitsQueues = (agents: readonly Agent[], engine: string): boolean =>
  agents.some((agent) => tokensOf(agent, engine)?.includes(byQueueMarker));

/** Why a rate is not limited here, because the engine limits that of something else; null where it may be. */
function whereElse(
  capability: Capability,
  engine: string,
  { isByQueue, able }: { isByQueue: boolean; able: readonly Agent[] },
): string | null {
  if (capability === "rate_limit_of_worker" && isByQueue) return `${engine} limits a whole queue: see its queue`;
  if (capability === "rate_limit_of_queue" && !isByQueue && able.length > 0)
    return `${engine} limits each worker on its own: see its workers`;
  return null;
}

/** An agent that never told what it can do, because it only fetches commands. */
export const isPolling = (agent: Agent): boolean =>
  agent.transport !== "ws" &&
  agent.engine_adapters.length === 0 &&
  Boolean(agent.last_connect_at ?? agent.last_seen_at);

function tokensOf(agent: Agent | undefined, engine: string): readonly unknown[] | null {
  const tokens = agent && Object.hasOwn(agent.capabilities, engine) ? agent.capabilities[engine] : null;
  return Array.isArray(tokens) ? tokens : null;
}
