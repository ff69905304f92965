import type { Task } from "@svc/client";
import { ofEngine, type Rule } from "../registry/action.ts";

export interface TaskSubject {
  engine: string;
  taskId: string;
  /** Undefined while it is not read, null where there is no such task. */
  state: Task["state"] | null | undefined;
  name?: Task["name"];
  workerName?: Task["worker_name"];
}

export const endedStates: readonly string[] = ["success", "failure", "revoked", "rejected"];

const unread = ({ state }: Pick<TaskSubject, "state">): string | null =>
  state === null ? "The task is not here" : state ? null : "The task was not read yet";
const hasEnded = ({ state }: Pick<TaskSubject, "state">): boolean => endedStates.includes(state ?? "");

type Judged = Pick<TaskSubject, "engine" | "state">;

export const retryRule: Rule<Judged> = {
  needs: ofEngine("retry_task"),
  guard: (task) => unread(task) ?? (hasEnded(task) || task.state === "unknown" ? null : "It has not ended yet"),
};

export const cancelRule: Rule<Judged> = {
  needs: ofEngine("cancel_task"),
  guard: (task) => unread(task) ?? (hasEnded(task) ? "It has ended already" : null),
};
