/** Asks the agent for one page of an engine's dead letters; the target is `{type: "queue", id: queue or "", engine}`. */
export interface DlqListParameters {
  /** The target's as well. */
  engine?: string;
  queue?: string | null;
  limit: number;
  cursor?: string | null;
}

/** The page as the agent sent it; the brain checks each entry. */
export interface DlqListResult {
  entries: Record<string, unknown>[];
  next_cursor: string | null;
  total: number | null;
  engine: string;
}
