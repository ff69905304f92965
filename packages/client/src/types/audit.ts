/** A row of the audit chain as lists and the feed show it. */
export interface RecordedRow {
  id: string;
  project_id: string | null;
  user_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  result: string;
  /** `allow`, `deny`, `failure` and `error` are the service's own. */
  outcome: string | null;
  metadata: Record<string, unknown>;
  /** Null also for callers who are not global admins. */
  source_ip: string | null;
  /** UTC with six decimals. */
  occurred_at: string;
}

export interface AuditRow extends RecordedRow {
  event_id: string | null;
  user_agent: string | null;
}

export interface AuditFilters {
  /** Literal beginning of the action. */
  action_prefix?: string;
  outcome?: string;
  user_id?: string;
  /** What was acted on, such as a command. */
  target_id?: string;
  since?: string;
  until?: string;
}

export interface AuditExportQuery extends AuditFilters {
  format: "csv" | "json" | "xlsx";
  /** By comma; all of them without it. */
  fields?: string;
}

export interface AuditPage {
  items: AuditRow[];
  next_cursor: string | null;
}

export interface ActivityRow extends RecordedRow {
  project_slug: string | null;
}

export interface ActivityQuery {
  limit?: number;
  /** Only rows newer than this `<iso>|<id>`. */
  since_cursor?: string;
  /** Only rows older than this `<iso>|<id>`. */
  before_cursor?: string;
  project_slug?: string;
  action_prefix?: string;
}

export interface ActivityPage {
  items: ActivityRow[];
  /** Null when nothing older was left out. */
  next_before_cursor: string | null;
  newest_cursor: string | null;
}
