import type { Agent, Worker } from "@svc/client";

/** Something of the fleet that needs a look. Agents come before workers, offline before the rest. */
export interface Trouble {
  readonly kind: "agent" | "worker";
  readonly id: string;
  readonly name: string;
  readonly what: "offline" | "never seen" | "outdated" | "silent" | "draining" | "full";
  /** Since when, where it is known. */
  readonly since: string | null;
  /** Tasks at work, and how many fit. */
  readonly load: { readonly active: number; readonly concurrency: number } | null;
}

export interface FleetHealth {
  readonly troubles: readonly Trouble[];
  readonly healthyAgents: readonly Agent[];
  readonly healthyWorkers: readonly Worker[];
}

/** A worker that ended longer ago than this is history: processes come and go with every release. */
const goneMs = 3_600_000;

const gravity: readonly Trouble["what"][] = ["offline", "silent", "full", "outdated", "draining", "never seen"];

export function fleetHealth(agents: readonly Agent[], workers: readonly Worker[], now: number): FleetHealth {
  const ofAgents = agents.map((agent) => ({ agent, trouble: agentTrouble(agent) }));
  const ofWorkers = workers
    .filter((worker) => worker.state !== "offline" || now - Date.parse(worker.last_heartbeat ?? "") < goneMs)
    .map((worker) => ({ worker, trouble: workerTrouble(worker) }));
  const troubles = [...ofAgents, ...ofWorkers]
    .flatMap(({ trouble }) => (trouble ? [trouble] : []))
    .toSorted(
      (a, b) =>
        a.kind.localeCompare(b.kind) ||
        gravity.indexOf(a.what) - gravity.indexOf(b.what) ||
        a.name.localeCompare(b.name),
    );
  return {
    troubles,
    healthyAgents: ofAgents.filter(({ trouble }) => !trouble).map(({ agent }) => agent),
    healthyWorkers: ofWorkers.filter(({ trouble }) => !trouble).map(({ worker }) => worker),
  };
}

function agentTrouble(agent: Agent): Trouble | null {
  const found = { kind: "agent", id: agent.id, name: agent.name, load: null } as const;
  if (!agent.last_seen_at && agent.state !== "online") return { ...found, what: "never seen", since: agent.created_at };
  if (agent.state !== "online") return { ...found, what: "offline", since: agent.last_seen_at ?? null };
  if (agent.is_outdated) return { ...found, what: "outdated", since: null };
  return null;
}

function workerTrouble(worker: Worker): Trouble | null {
  const { id, name, active_tasks: active, concurrency = null, last_heartbeat: seen } = worker;
  const load = concurrency === null ? null : { active, concurrency };
  const found = { kind: "worker", id, name, load } as const;
  if (worker.state === "offline") return { ...found, what: "offline", since: seen ?? null };
  if (worker.state === "unknown") return { ...found, what: "silent", since: seen ?? null };
  if (worker.state === "draining") return { ...found, what: "draining", since: null };
  if (load !== null && load.concurrency > 0 && load.active >= load.concurrency)
    return { ...found, what: "full", since: null };
  return null;
}
