export interface TaskEvent {
  id: string;
  project_id: string;
  agent_id: string | null;
  engine: string;
  task_id: string;
  kind: string;
  occurred_at: string;
  payload: Record<string, unknown>;
}

export interface EventPage {
  items: TaskEvent[];
  next_cursor: string | null;
}

export interface EventListQuery {
  engine?: string;
  task_id?: string;
  kind?: string;
  since?: string;
  until?: string;
  cursor?: string;
  limit?: number;
}
