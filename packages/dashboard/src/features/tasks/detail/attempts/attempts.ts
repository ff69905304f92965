import type { TaskEvent, TaskRow, TaskState } from "@svc/client";

export interface Attempt {
  /** From 0, as the engine counts. */
  number: number;
  state: TaskState;
  worker: string | null;
  startedAt: number | null;
  endedAt: number | null;
  runMs: number | null;
  exception: string | null;
  traceback: string | null;
}

const endStates: Record<string, TaskState> = {
  "task.succeeded": "success",
  "task.failed": "failure",
  "task.revoked": "revoked",
  "task.rejected": "rejected",
  "task.retried": "retry",
};

/** The attempts reported by a task's events, oldest first. Attempts without a start or end event are left out. */
export function attemptsOf(events: readonly TaskEvent[]): Attempt[] {
  const byNumber = new Map<number, Attempt>();
  const inOrder = events.toSorted((a, b) => Date.parse(a.occurred_at) - Date.parse(b.occurred_at));
  for (const event of inOrder) {
    const state = event.kind === "task.started" ? "started" : endStates[event.kind];
    if (!state) continue;
    const number = wholeNumber(event.payload.attempt) ?? 0;
    const attempt = byNumber.get(number) ?? emptyAttempt(number);
    byNumber.set(number, attempt);
    const at = Date.parse(event.occurred_at);
    attempt.worker = text(event.payload.worker) ?? attempt.worker;
    if (state === "started") {
      attempt.startedAt = at;
      continue;
    }
    // An announced retry does not replace the failure before it.
    if (state === "retry" && attempt.endedAt !== null) continue;
    attempt.state = state;
    attempt.endedAt = at;
    attempt.runMs =
      wholeNumber(event.payload.runtime_ms) ?? (attempt.startedAt === null ? null : at - attempt.startedAt);
    attempt.exception = text(event.payload.exception) ?? attempt.exception;
    attempt.traceback = text(event.payload.traceback) ?? attempt.traceback;
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

/** The single attempt known from the task itself, for tasks without stored events. */
export function attemptOfTask(task: TaskRow & { traceback?: string | null }): Attempt[] {
  if (!task.started_at && !task.finished_at) return [];
  const startedAt = task.started_at ? Date.parse(task.started_at) : null;
  return [
    {
      ...emptyAttempt(task.attempt),
      state: task.state,
      worker: task.worker_name,
      startedAt,
      endedAt: task.finished_at ? Date.parse(task.finished_at) : null,
      runMs: task.runtime_ms,
      exception: task.exception,
      traceback: task.traceback ?? null,
    },
  ];
}

function emptyAttempt(number: number): Attempt {
  return {
    number,
    state: "started",
    worker: null,
    startedAt: null,
    endedAt: null,
    runMs: null,
    exception: null,
    traceback: null,
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function wholeNumber(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? Math.round(value) : null;
}
