import type { Agent, Command, Queue, Task, Worker } from "./api.generated.ts";

/** A task without the fields that the hub leaves out. */
export type TaskRow = Omit<Task, "args" | "kwargs" | "result" | "traceback">;

/** What the rows of each topic are; a topic missing here is one that no page listens to yet. */
export interface HubRows {
  "task.changed": TaskRow;
  "agent.changed": Agent;
  "worker.changed": Worker;
  "queue.changed": Queue;
  "command.changed": Command;
}
export type HubTopic = keyof HubRows;

export interface HubEvent<Topic extends HubTopic = HubTopic> {
  type: "event";
  topic: Topic;
  rows?: HubRows[Topic][];
  removed?: string[];
  counts?: Record<string, number>;
  /** More changed than travels in one frame: read the list again. */
  refetch?: boolean;
}
