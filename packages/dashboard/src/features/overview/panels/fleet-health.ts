import type { Agent, Queue, Worker } from "@svc/client";
import { instant } from "../../../ui/time/instants.ts";
import { type WorkerTrouble, workerTrouble } from "../../workers/index.ts";

/** An agent or a worker that needs attention. */
export type Trouble =
  | { readonly kind: "agent"; readonly agent: Agent; readonly what: "offline" | "outdated" | "not connected" }
  | { readonly kind: "worker"; readonly worker: Worker; readonly what: "offline" | "full" };

export interface FleetHealth {
  /** Agents before workers, most severe first. */
  readonly troubles: readonly Trouble[];
  readonly healthyAgents: readonly Agent[];
  /** Online workers without trouble. Those that announced their stop, and those known by name only, count as neither. */
  readonly healthyWorkers: readonly Worker[];
}

const severity: readonly Trouble["what"][] = ["offline", "full", "outdated", "not connected"];

interface Fleet {
  readonly agents: readonly Agent[];
  readonly workers: readonly Worker[];
  /** Undefined while unknown whether tasks are waiting. */
  readonly queues: readonly Queue[] | undefined;
}

export function fleetHealth({ agents, workers, queues = [] }: Fleet, now: number): FleetHealth {
  const waiting = queues.filter((queue) => queue.pending_count > 0);
  const troubleOf = (worker: Worker): WorkerTrouble => {
    const what = workerTrouble(worker, now);
    return what === "full" && !waiting.some((queue) => isServedBy(queue, worker)) ? null : what;
  };
  const ofAgents = agents.flatMap((agent): Trouble[] => {
    const what = agentTrouble(agent, now);
    return what === null ? [] : [{ kind: "agent", agent, what }];
  });
  const ofWorkers = workers.flatMap((worker): Trouble[] => {
    const what = troubleOf(worker);
    return what === null ? [] : [{ kind: "worker", worker, what }];
  });
  return {
    troubles: [...bySeverity(ofAgents), ...bySeverity(ofWorkers)],
    healthyAgents: agents.filter((agent) => agent.state === "online" && agentTrouble(agent, now) === null),
    healthyWorkers: workers.filter(
      (worker) => (worker.state === "online" || worker.state === "draining") && troubleOf(worker) === null,
    ),
  };
}

/** A worker at capacity is trouble only while tasks wait for its queues, or for any of its engine if it did not report its queues. */
function isServedBy(queue: Queue, worker: Worker): boolean {
  return queue.engine === worker.engine && (worker.queues.length === 0 || worker.queues.includes(queue.name));
}

/** More full workers than this are grouped into one entry. */
const fullApart = 2;

export function joinFull(troubles: readonly Trouble[]): { apart: readonly Trouble[]; full: readonly Worker[] } {
  const full = troubles.flatMap((trouble) =>
    trouble.kind === "worker" && trouble.what === "full" ? [trouble.worker] : [],
  );
  if (full.length <= fullApart) return { apart: troubles, full: [] };
  return { apart: troubles.filter(({ what }) => what !== "full"), full };
}

export function nameOf(trouble: Trouble): string {
  return trouble.kind === "agent" ? trouble.agent.name : trouble.worker.name;
}

function bySeverity(troubles: readonly Trouble[]): Trouble[] {
  return troubles.toSorted(
    (a, b) => severity.indexOf(a.what) - severity.indexOf(b.what) || nameOf(a).localeCompare(nameOf(b)),
  );
}

/** The time limit for an agent's first connection. */
const firstConnectMs = 60 * 60_000;

function agentTrouble(agent: Agent, now: number): "offline" | "outdated" | "not connected" | null {
  if (agent.state === "online") return agent.is_outdated ? "outdated" : null;
  if (agent.last_seen_at) return "offline";
  const isOverdue = !agent.last_connect_at && now - instant(agent.created_at) > firstConnectMs;
  return isOverdue ? "not connected" : null;
}
