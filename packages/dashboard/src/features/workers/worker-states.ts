import type { Worker } from "@svc/client";
import { age, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";

const stateOrder = ["draining", "online", "unknown", "offline"];
/** An offline worker that was heard of within this is news; an older one is history. */
const newsMs = 60 * 60_000;

/** Those at work first; workers that are gone are history and go last. */
export function workersInOrder(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) || a.name.localeCompare(b.name),
  );
}

export type WorkerTrouble = "fell silent" | "full" | null;

/** What is wrong with a worker: gone without a word while it had tasks or of late, or no room left in its pool. */
export function workerTrouble(worker: Worker, now: number): WorkerTrouble {
  if (worker.state === "offline" && !saidGoodbye(worker)) {
    return worker.active_tasks > 0 || now - instant(worker.last_heartbeat) < newsMs ? "fell silent" : null;
  }
  if (worker.state === "online" && worker.concurrency && worker.active_tasks >= worker.concurrency) return "full";
  return null;
}

const ranks = { "fell silent": 0, full: 1 } as const;

/** The worst first, then those at work by name, then those that are gone. */
export function byWorkerTrouble<Row extends { worker: Worker; trouble: WorkerTrouble }>(rows: readonly Row[]): Row[] {
  const rank = ({ worker, trouble }: Row) =>
    trouble === null ? 2 + Math.max(0, stateOrder.indexOf(worker.state)) : ranks[trouble];
  return rows.toSorted((a, b) => rank(a) - rank(b) || a.worker.name.localeCompare(b.worker.name));
}

/** Whether it announced that it goes; else it fell silent. */
function saidGoodbye(worker: Worker): boolean {
  const told = instant(worker.state_reported_at);
  const heard = instant(worker.last_heartbeat);
  return !Number.isNaN(told) && (Number.isNaN(heard) || told >= heard);
}

/** Why the worker is in its state, in words. */
export function stateReason(worker: Worker, now: number): string {
  const heard = instant(worker.last_heartbeat);
  const since = (ms: number) => `${age(now - ms)} ago`;
  switch (worker.state) {
    case "offline":
      if (saidGoodbye(worker)) return `it said goodbye ${since(instant(worker.state_reported_at))}`;
      if (Number.isNaN(heard)) return "nothing was ever heard of it";
      return worker.active_tasks > 0
        ? `nothing heard for ${age(now - heard)}, with ${worker.active_tasks} ${worker.active_tasks === 1 ? "task" : "tasks"} running`
        : `nothing heard for ${age(now - heard)}`;
    case "draining":
      return "it takes no new tasks and ends those it has";
    case "unknown":
      return "named by tasks only; it never reported itself";
    case "online":
      return Number.isNaN(heard) ? "it said that it is there" : `heard of ${since(heard)}`;
  }
}

export function queuesText(worker: Worker): string {
  if (worker.queues.length === 0) return "not reported";
  const shown = worker.queues.slice(0, 3).map(printable).join(", ");
  return worker.queues.length > 3 ? `${shown} and ${worker.queues.length - 3} more` : shown;
}

/** Load such as `0.50`; null when it was not reported. */
export function loadText(load: Worker["load_average"]): string | null {
  return load === null ? null : load.toFixed(load < 10 ? 2 : 0);
}
