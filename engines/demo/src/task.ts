import type { TaskType } from "./catalogue.ts";

export interface DemoTask {
  readonly id: string;
  readonly type: TaskType;
  readonly parent: string | null;
  readonly root: string | null;
  /** The task that an operator retried with other inputs. */
  readonly retriedFrom: string | null;
  readonly args: readonly unknown[];
  readonly kwargs: Record<string, unknown>;
  /** Only rises, over retries of operators too. */
  attempt: number;
  /** Runs that may still fail, the next one included. */
  triesLeft: number;
  queuedMs: number;
}

/** Other inputs for a retry. */
export interface Inputs {
  readonly args: readonly unknown[];
  readonly kwargs: Record<string, unknown>;
}
