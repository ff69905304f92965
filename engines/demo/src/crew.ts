import { type WorkerType, workers } from "./catalogue.ts";
import { newRelease, oldRelease } from "./story.ts";

export interface DemoWorker {
  readonly type: WorkerType;
  /** Tasks that it runs now. */
  running: number;
  release: string;
  isLost: boolean;
}

/** The shop's workers: which release they run, and which of them are lost. */
export class Crew {
  readonly #all: DemoWorker[] = workers.map((type) => ({ type, running: 0, release: oldRelease, isLost: false }));

  /** Those that report. */
  present(): readonly Readonly<DemoWorker>[] {
    return this.#all.filter(({ isLost }) => !isLost);
  }

  /** Those that can start a task of the queue. */
  free(queue: string): DemoWorker[] {
    return this.#all.filter(
      ({ type, running, isLost }) => !isLost && type.queue === queue && running < type.concurrency,
    );
  }

  /** Puts the new release on the canaries or on every worker. */
  deploy(where: "canaries" | "everywhere"): void {
    for (const worker of this.#all) if (where === "everywhere" || worker.type.isCanary) worker.release = newRelease;
  }

  /** @throws Error when there is no such worker. */
  lose(name: string): DemoWorker {
    const worker = this.#all.find(({ type }) => type.name === name);
    if (worker === undefined) throw new Error(`the shop has no worker ${name}`);
    worker.isLost = true;
    worker.running = 0;
    return worker;
  }
}
