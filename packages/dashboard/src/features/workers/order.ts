import type { Worker } from "@svc/client";
import { printable } from "../../ui/format.ts";

const stateOrder = ["draining", "online", "unknown", "offline"];

/** Those at work first; workers that are gone are history and go last. */
export function workersInOrder(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) || a.name.localeCompare(b.name),
  );
}

export function queuesText(worker: Worker): string {
  if (worker.queues.length === 0) return "not reported";
  const shown = worker.queues.slice(0, 3).map(printable).join(", ");
  return worker.queues.length > 3 ? `${shown} and ${worker.queues.length - 3} more` : shown;
}
