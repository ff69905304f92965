import type { PlannedEvent } from "./event-group.ts";

export interface Touch {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  /** The greatest occurred_at that names it, in milliseconds. */
  at: number;
}

/** Which queues and workers events name, and when each was named last. */
export interface Touches {
  readonly queues: readonly Touch[];
  readonly workers: readonly Touch[];
}

/** A worker that went offline does not count as heard of. */
export function newestTouches(events: readonly PlannedEvent[]): Touches {
  const queues = createTouches();
  const workers = createTouches();
  for (const { task, ownWorker } of events) {
    const { projectId, engine, queue, at } = task;
    if (queue !== null) queues.note(projectId, engine, queue, at);
    const worker = task.worker_name ?? (task.kind === "worker.offline" ? null : ownWorker);
    if (worker !== null) workers.note(projectId, engine, worker, at);
  }
  return { queues: queues.all, workers: workers.all };
}

function createTouches() {
  const all: Touch[] = [];
  const byName = new Map<string, Touch[]>();
  return {
    all,
    note(projectId: string, engine: string, name: string, at: number): void {
      let named = byName.get(name);
      if (named === undefined) {
        named = [];
        byName.set(name, named);
      }
      const known = named.find((touch) => touch.projectId === projectId && touch.engine === engine);
      if (known === undefined) {
        const touch = { projectId, engine, name, at };
        named.push(touch);
        all.push(touch);
      } else if (at > known.at) known.at = at;
    },
  };
}
