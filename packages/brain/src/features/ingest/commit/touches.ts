import type { PlannedEvent } from "./event-group.ts";

export interface Touch {
  readonly projectId: string;
  readonly engine: string;
  readonly name: string;
  /** The greatest occurred_at that names it, in milliseconds. */
  at: number;
}

/** Queues and workers that events name, and when each was last named. */
export interface Touches {
  readonly queues: readonly Touch[];
  readonly workers: readonly Touch[];
}

/** Collects the touches of a batch. A worker's going offline does not count as contact. */
export function createTouches() {
  const queues = createNewest();
  const workers = createNewest();
  return {
    newest: { queues: queues.all, workers: workers.all } satisfies Touches,
    note({ task, ownWorker }: PlannedEvent): void {
      const { projectId, engine, queue, at } = task;
      if (queue !== null) queues.note(projectId, engine, queue, at);
      const worker = task.worker_name ?? (task.kind === "worker.offline" ? null : ownWorker);
      if (worker !== null) workers.note(projectId, engine, worker, at);
    },
  };
}

function createNewest() {
  const all: Touch[] = [];
  const byName = new Map<string, Touch[]>();

  function touchOf(projectId: string, engine: string, name: string, at: number): Touch {
    let named = byName.get(name);
    if (named === undefined) {
      named = [];
      byName.set(name, named);
    }
    // Without a closure per call, because every event passes here.
    for (let index = 0; index < named.length; index += 1) {
      const touch = named[index] as Touch;
      if (touch.projectId === projectId && touch.engine === engine) return touch;
    }
    const touch = { projectId, engine, name, at };
    named.push(touch);
    all.push(touch);
    return touch;
  }

  return {
    all,
    note(projectId: string, engine: string, name: string, at: number): void {
      const touch = touchOf(projectId, engine, name, at);
      if (at > touch.at) touch.at = at;
    },
  };
}
