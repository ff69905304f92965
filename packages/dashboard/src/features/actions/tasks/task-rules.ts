import type { Task } from "@svc/client";
import { ofEngine, type Rule } from "../registry/action.ts";

export interface TaskSubject {
  engine: string;
  taskId: string;
  /** Undefined until it is loaded, null if there is no such task. */
  state: Task["state"] | null | undefined;
  name?: Task["name"];
  workerName?: Task["worker_name"];
}

export const endedStates: readonly string[] = ["success", "failure", "revoked", "rejected"];

const unread = ({ state }: Pick<TaskSubject, "state">): string | null =>
  state === null ? "Task not found" : state ? null : "Loading the task";
const hasEnded = ({ state }: Pick<TaskSubject, "state">): boolean => endedStates.includes(state ?? "");

type Judged = Pick<TaskSubject, "engine" | "state">;

export const retryRule: Rule<Judged> = {
  needs: ofEngine("retry_task"),
  guard: (task) =>
    unread(task) ?? (hasEnded(task) || task.state === "unknown" ? null : "The task has not finished yet"),
};

export const cancelRule: Rule<Judged> = {
  needs: ofEngine("cancel_task"),
  guard: (task) => unread(task) ?? (hasEnded(task) ? "The task has already finished" : null),
};
