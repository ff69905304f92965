/** Topics that a dashboard can subscribe to. */
export const topics = [
  "task.changed",
  "command.changed",
  "agent.changed",
  "worker.changed",
  "queue.changed",
  "schedule.changed",
] as const;
export type Topic = (typeof topics)[number];

const known: ReadonlySet<unknown> = new Set(topics);

export const isTopic = (value: unknown): value is Topic => known.has(value);

/** A committed change: the rows by id, or too many to list. */
export interface LiveChange {
  readonly projectId: string;
  readonly topic: Topic;
  /** Row ids; null asks subscribers to fetch again. */
  readonly ids: readonly string[] | null;
}

/** Maximum number of rows listed in one event. */
export const maxRowsPerEvent = 200;
