/** The result of a command that returns no data. */
type Nothing = Record<string, never>;

interface RetriedTask {
  task_id: string;
  new_task_id?: string | null;
}

/** A task's state as the engine reports it. Reconciliation turns it into an event. */
export type ReconciledState = "pending" | "started" | "success" | "failure" | "unknown";

/** Results of successful commands by action, for the actions that adapters implement today. */
interface CommandResults {
  retry_task: RetriedTask;
  cancel_task: Nothing;
  bulk_retry: {
    results: { task_id: string; status: string; new_task_id?: string | null; error?: string | null }[];
  };
  purge_queue: { purged: number };
  requeue_dead_letter: RetriedTask;
  /** The page as the agent sent it. The brain validates each entry. */
  "dlq.list": {
    entries: Record<string, unknown>[];
    next_cursor: string | null;
    total: number | null;
    engine: string;
  };
  reconcile_task: {
    task_id: string;
    engine_state: ReconciledState;
    finished_at?: string | null;
    exception?: string | null;
  };
}

export type ResultAction = keyof CommandResults;
export type CommandResult<Action extends ResultAction> = CommandResults[Action];
