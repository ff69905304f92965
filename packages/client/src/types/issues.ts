/** Failures that look alike. */
export interface Issue {
  fingerprint: string;
  /** Ongoing while any of its tasks is in state failure. */
  status: "ongoing" | "recovered";
  /** Task rows whose last failure is of this issue and in the range. */
  occurrences: number;
  open_count: number;
  recovered_count: number;
  /** Only the newest 10,000 task rows were counted. */
  is_capped: boolean;
  /** In all that is kept, also before the range. */
  first_seen: string;
  last_seen: string;
  engine_count: number;
  engines: string[];
  sample_exception: string | null;
  sample_task_name: string | null;
  /** Failures in 24 equal parts of the range, by default of the last 24 hours; when asked for. */
  trend?: number[];
}

export interface IssuePage {
  items: Issue[];
  next_cursor: string | null;
}

/** Without hours, since and until of all that is kept. */
export interface IssueListQuery {
  engine?: string;
  status?: Issue["status"];
  /** This issue alone. */
  fingerprint?: string;
  hours?: number;
  since?: string;
  until?: string;
  trend?: boolean;
  cursor?: string;
  limit?: number;
}
