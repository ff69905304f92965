import { type WorkerType, workers } from "./catalogue.ts";
import { newRelease, oldRelease } from "./story.ts";

export interface DemoWorker {
  readonly type: WorkerType;
  /** Tasks running now. */
  running: number;
  release: string;
  isLost: boolean;
}

/** The shop's workers, their releases, and the lost ones. */
export class Crew {
  readonly #all: DemoWorker[] = workers.map((type) => ({ type, running: 0, release: oldRelease, isLost: false }));

  /** Workers that still report. */
  present(): readonly Readonly<DemoWorker>[] {
    return this.#all.filter(({ isLost }) => !isLost);
  }

  /** Workers that can start a task of the queue. */
  free(queue: string): DemoWorker[] {
    return this.#all.filter(
      ({ type, running, isLost }) => !isLost && type.queue === queue && running < type.concurrency,
    );
  }

  /** Rolls out the new release to the canaries or to all workers. */
  deploy(where: "canaries" | "everywhere"): void {
    for (const worker of this.#all) if (where === "everywhere" || worker.type.isCanary) worker.release = newRelease;
  }

  /** @throws Error when the worker does not exist. */
  lose(name: string): DemoWorker {
    const worker = this.#all.find(({ type }) => type.name === name);
    if (worker === undefined) throw new Error(`worker ${name} does not exist`);
    worker.isLost = true;
    worker.running = 0;
    return worker;
  }
}
