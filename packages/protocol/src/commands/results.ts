/** Of a command whose success says no more than that. */
type Nothing = Record<string, never>;

interface RetriedTask {
  task_id: string;
  new_task_id?: string | null;
}

/** What an engine answers about one task; the brain turns it into an event (2.6). */
export type ReconciledState = "pending" | "started" | "success" | "failure" | "unknown";

/** Results of a success by action (4.1), of the actions that an adapter of this version carries out. */
interface CommandResults {
  retry_task: RetriedTask;
  cancel_task: Nothing;
  bulk_retry: {
    results: { task_id: string; status: string; new_task_id?: string | null; error?: string | null }[];
  };
  purge_queue: { purged: number };
  requeue_dead_letter: RetriedTask;
  /** The page as the agent sent it; the brain checks each entry. */
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
