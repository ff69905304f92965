import type { Agent, Worker } from "@svc/client";
import { workerTrouble } from "../workers/worker-states.ts";

/** An agent or a worker that needs a look. */
export type Trouble =
  | { readonly kind: "agent"; readonly agent: Agent; readonly what: "offline" | "outdated" | "never seen" }
  | { readonly kind: "worker"; readonly worker: Worker; readonly what: "fell silent" | "full" };

export interface FleetHealth {
  /** Agents before workers, the worst first. */
  readonly troubles: readonly Trouble[];
  readonly healthyAgents: readonly Agent[];
  /** Those that are there; the ones that said goodbye, and the ones known by name only, are neither. */
  readonly healthyWorkers: readonly Worker[];
}

const gravity: readonly Trouble["what"][] = ["offline", "fell silent", "full", "outdated", "never seen"];

export function fleetHealth(agents: readonly Agent[], workers: readonly Worker[], now: number): FleetHealth {
  const ofAgents = agents.flatMap((agent): Trouble[] => {
    const what = agentTrouble(agent);
    return what === null ? [] : [{ kind: "agent", agent, what }];
  });
  const ofWorkers = workers.flatMap((worker): Trouble[] => {
    const what = workerTrouble(worker, now);
    return what === null ? [] : [{ kind: "worker", worker, what }];
  });
  return {
    troubles: [...byGravity(ofAgents), ...byGravity(ofWorkers)],
    healthyAgents: agents.filter((agent) => agentTrouble(agent) === null),
    healthyWorkers: workers.filter(
      (worker) => (worker.state === "online" || worker.state === "draining") && workerTrouble(worker, now) === null,
    ),
  };
}

export function nameOf(trouble: Trouble): string {
  return trouble.kind === "agent" ? trouble.agent.name : trouble.worker.name;
}

function byGravity(troubles: readonly Trouble[]): Trouble[] {
  return troubles.toSorted(
    (a, b) => gravity.indexOf(a.what) - gravity.indexOf(b.what) || nameOf(a).localeCompare(nameOf(b)),
  );
}

function agentTrouble(agent: Agent): "offline" | "outdated" | "never seen" | null {
  if (agent.state === "online") return agent.is_outdated ? "outdated" : null;
  return agent.last_seen_at ? "offline" : "never seen";
}
