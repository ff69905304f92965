/** One lifecycle event as an agent puts it into an event_batch (2.2). */
export interface EventRecord {
  /** A UUID of version 4, 5 or 7; without one the brain derives the id from the content. */
  id?: string;
  kind: string;
  /** 1 to 40 characters. */
  engine: string;
  /** At most 200 characters; empty when the event concerns no task. */
  task_id: string;
  /** ISO 8601; without a zone it is UTC. Absent: the time of the batch. */
  occurred_at?: string;
  data: Record<string, unknown>;
}
