import type { Agent, Command, Queue, Schedule, Task, Worker } from "./api.generated.ts";

/** A task without the fields that the hub leaves out. */
export type TaskRow = Omit<Task, "args" | "kwargs" | "result" | "traceback">;

/** Row types of the topics that pages subscribe to. */
export interface HubRows {
  "task.changed": TaskRow;
  "agent.changed": Agent;
  "worker.changed": Worker;
  "queue.changed": Queue;
  "command.changed": Command;
  "schedule.changed": Schedule;
}
export type HubTopic = keyof HubRows;

export interface HubEvent<Topic extends HubTopic = HubTopic> {
  type: "event";
  topic: Topic;
  rows?: HubRows[Topic][];
  removed?: string[];
  counts?: Record<string, number>;
  /** More rows changed than fit into one frame, so the list must be read again. */
  refetch?: boolean;
}
