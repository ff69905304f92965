import { plural, type Worker } from "@svc/client";
import { age, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";

const stateOrder = ["draining", "online", "unknown", "offline"];
/** Workers offline for longer are not highlighted. */
const recentMs = 60 * 60_000;

/** Active workers first, offline ones last. */
export function workersInOrder(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) || a.name.localeCompare(b.name),
  );
}

export type WorkerTrouble = "offline" | "full" | null;

/** What is wrong with a worker: offline without an announced stop (recently, or with running tasks), or at capacity. */
export function workerTrouble(worker: Worker, now: number): WorkerTrouble {
  if (worker.state === "offline" && !announcedStop(worker)) {
    return worker.active_tasks > 0 || now - instant(worker.last_heartbeat) < recentMs ? "offline" : null;
  }
  if (worker.state === "online" && worker.concurrency && worker.active_tasks >= worker.concurrency) return "full";
  return null;
}

const ranks = { offline: 0, full: 1 } as const;

/** Workers with problems first, then active ones by name, then offline ones. */
export function byWorkerTrouble<Row extends { worker: Worker; trouble: WorkerTrouble }>(rows: readonly Row[]): Row[] {
  const rank = ({ worker, trouble }: Row) =>
    trouble === null ? 2 + Math.max(0, stateOrder.indexOf(worker.state)) : ranks[trouble];
  return rows.toSorted((a, b) => rank(a) - rank(b) || a.worker.name.localeCompare(b.worker.name));
}

/** Whether an offline worker announced its stop. Otherwise its heartbeats just ended. */
function announcedStop(worker: Worker): boolean {
  const reported = instant(worker.state_reported_at);
  const heartbeat = instant(worker.last_heartbeat);
  return !Number.isNaN(reported) && (Number.isNaN(heartbeat) || reported >= heartbeat);
}

/** The reason for the worker's state. */
export function stateReason(worker: Worker, now: number): string {
  const heartbeat = instant(worker.last_heartbeat);
  const since = (ms: number) => `${age(now - ms)} ago`;
  switch (worker.state) {
    case "offline":
      if (announcedStop(worker)) return `stopped ${since(instant(worker.state_reported_at))}`;
      if (Number.isNaN(heartbeat)) return "no heartbeat yet";
      return worker.active_tasks > 0
        ? `last heartbeat ${since(heartbeat)}, with ${plural(worker.active_tasks, "running task")}`
        : `last heartbeat ${since(heartbeat)}`;
    case "draining":
      return "finishing running tasks, accepting no new ones";
    case "unknown":
      return "seen in task events only";
    case "online":
      return Number.isNaN(heartbeat) ? "no heartbeat yet" : `last heartbeat ${since(heartbeat)}`;
  }
}

/** The first few queues of a worker; a dash if none were reported. */
export function queuesText(worker: Worker): string {
  if (worker.queues.length === 0) return "–";
  const shown = worker.queues.slice(0, 3).map(printable).join(", ");
  return worker.queues.length > 3 ? `${shown} and ${worker.queues.length - 3} more` : shown;
}

/** Load such as `0.50`; null if not reported. */
export function loadText(load: Worker["load_average"]): string | null {
  return load === null ? null : load.toFixed(load < 10 ? 2 : 0);
}

/** Which optional values any of these workers reports; columns without values are hidden. */
export function reportedOf(workers: readonly Worker[]) {
  return {
    concurrency: workers.some(({ concurrency }) => concurrency),
    queues: workers.some(({ queues }) => queues.length > 0),
    load: workers.some(({ load_average }) => load_average !== null),
    memory: workers.some(({ memory_bytes }) => memory_bytes),
  };
}
