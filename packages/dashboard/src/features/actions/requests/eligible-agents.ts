import type { Agent } from "@svc/client";

/** The capabilities that an agent reports, named like the actions. */
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
  // An engine limits the rate of either workers or queues.
  | "rate_limit_of_worker"
  | "rate_limit_of_queue";

const resubmitsMarker = "retry_resubmits";
const byQueueMarker = "rate_limit_by_queue";
/** With either marker the adapter follows the retry contract. */
const contractMarkers: readonly unknown[] = ["retry_by_reference_v1", resubmitsMarker];
const retries: readonly Capability[] = ["retry_task", "bulk_retry"];
const ofRate: readonly Capability[] = ["rate_limit_of_worker", "rate_limit_of_queue"];
/** Agents that only poll report no capabilities; the service assumes all but these. */
const closedToPolls: readonly Capability[] = ["bulk_retry", "list_dead_letters"];

export interface Eligibility {
  /** Eligible agents, those that reported the capability first. */
  agents: Agent[];
  /** The first of them can only resubmit, which needs the inputs. */
  resubmits: boolean;
  /** Why no agent is eligible, or null. */
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

/** The agents that can do something for an engine. If none can, the reason is the condition that failed last. */
export function eligibleAgents(agents: readonly Agent[], engine: string, capability: Capability): Eligibility {
  const online = agents.filter((agent) => agent.state === "online" && agent.engine_adapters.length > 0);
  const serving = online.filter((agent) => tokensOf(agent, engine) !== null);
  const token = ofRate.includes(capability) ? "rate_limit" : capability;
  const capable = serving.filter((agent) => tokensOf(agent, engine)?.includes(token));
  const elsewhere = limitedElsewhere(capability, engine, { isByQueue: limitsQueues(agents, engine), capable });
  if (elsewhere !== null) return { agents: [], resubmits: false, reason: elsewhere };
  const contracted = retries.includes(capability)
    ? capable.filter((agent) => tokensOf(agent, engine)?.some((marker) => contractMarkers.includes(marker)))
    : capable;
  // A bulk retry uses the inputs that the engine kept; it never resubmits.
  const safe =
    capability === "bulk_retry"
      ? contracted.filter((agent) => !tokensOf(agent, engine)?.includes(resubmitsMarker))
      : contracted;
  const polling = closedToPolls.includes(capability) ? [] : agents.filter(isPolling);
  const chosen = [...safe, ...polling];
  const resubmits = retries.includes(capability) && (tokensOf(safe[0], engine)?.includes(resubmitsMarker) ?? false);
  if (chosen.length > 0) return { agents: chosen, resubmits, reason: null };
  const reason =
    contracted.length > 0
      ? `${engine} retries by resubmitting, which needs the arguments of each task. Retry them one by one`
      : capable.length > 0
        ? `The agents for ${engine} can't retry safely. Update them`
        : serving.length > 0
          ? `No online agent for ${engine} can ${verbs[capability]}`
          : online.length > 0
            ? `No online agent serves ${engine}`
            : "No agent is online";
  return { agents: [], resubmits: false, reason };
}

/** Why an engine lacks an action, as its online agents report; null if it has the action or none of them is online. */
export function whyUnsupported(agents: readonly Agent[], engine: string, capability: Capability): string | null {
  const isServed = agents.some((agent) => agent.state === "online" && tokensOf(agent, engine) !== null);
  return isServed ? eligibleAgents(agents, engine, capability).reason : null;
}

/** All agents of an engine limit rates the same way, so offline agents count too. */
const limitsQueues = (agents: readonly Agent[], engine: string): boolean =>
  agents.some((agent) => tokensOf(agent, engine)?.includes(byQueueMarker));

/** Where the engine limits rates instead, or null if it limits them here. */
function limitedElsewhere(
  capability: Capability,
  engine: string,
  { isByQueue, capable }: { isByQueue: boolean; capable: readonly Agent[] },
): string | null {
  if (capability === "rate_limit_of_worker" && isByQueue)
    return `${engine} limits rates per queue. See the queue's page`;
  if (capability === "rate_limit_of_queue" && !isByQueue && capable.length > 0)
    return `${engine} limits rates per worker. See its workers' pages`;
  return null;
}

/** An agent that only polls for commands and reports no capabilities. */
export const isPolling = (agent: Agent): boolean =>
  agent.transport !== "ws" &&
  agent.engine_adapters.length === 0 &&
  Boolean(agent.last_connect_at ?? agent.last_seen_at);

function tokensOf(agent: Agent | undefined, engine: string): readonly unknown[] | null {
  const tokens = agent && Object.hasOwn(agent.capabilities, engine) ? agent.capabilities[engine] : null;
  return Array.isArray(tokens) ? tokens : null;
}
