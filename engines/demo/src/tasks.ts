import type { TaskType } from "./catalogue.ts";

export interface DemoTask extends Inputs {
  readonly id: string;
  readonly type: TaskType;
  readonly parent: string | null;
  readonly root: string | null;
  /** The task that an operator retried with other inputs. */
  readonly retriedFrom: string | null;
  /** Only rises, even over retries by operators. */
  attempt: number;
  /** Remaining runs, including the next one. */
  triesLeft: number;
  queuedMs: number;
}

export interface Inputs {
  readonly args: readonly unknown[];
  readonly kwargs: Record<string, unknown>;
}

export interface EndedTask {
  readonly task: DemoTask;
  readonly state: "success" | "failure" | "revoked";
  readonly endedMs: number;
  readonly exception: string | null;
}

const maxEnded = 20_000;
const maxFailed = 5_000;

/** The shop's finished tasks: the last 20,000, and the last 5,000 failed ones, which can be retried. */
export class EndedTasks {
  readonly #others = new Map<string, EndedTask>();
  readonly #failed = new Map<string, EndedTask>();

  add(ended: EndedTask): void {
    const [kept, most] = ended.state === "failure" ? [this.#failed, maxFailed] : [this.#others, maxEnded];
    kept.set(ended.task.id, ended);
    if (kept.size <= most) return;
    const [oldest] = kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
  }

  find(id: string): EndedTask | undefined {
    return this.#failed.get(id) ?? this.#others.get(id);
  }

  /** @throws Error when the task has not failed, or is no longer remembered. */
  failed(id: string): DemoTask {
    const { task } = this.#failed.get(id) ?? {};
    if (task === undefined) throw new Error(`${id} is not a failed task`);
    return task;
  }

  /** Called when a task runs again. */
  removeFailed(id: string): void {
    this.#failed.delete(id);
  }

  /** Newest failure first, ties by id. */
  allFailed(): EndedTask[] {
    return [...this.#failed.values()].sort((a, b) => b.endedMs - a.endedMs || (a.task.id < b.task.id ? 1 : -1));
  }
}
