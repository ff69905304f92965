import type { Command } from "@svc/client";
import { inOneLine } from "../terminal/printed.ts";

/** Whether a command is finished. */
export const isFinished = ({ status }: Command): boolean => status !== "pending" && status !== "dispatched";

/** The outcome of a command as text. */
export function outcomeOf(command: Command): string {
  const { status, error, result } = command;
  if (status === "completed") {
    const { new_task_id: newId = null } = (result ?? {}) as { new_task_id?: string | null };
    return newId === null ? "completed" : inOneLine(`completed as ${newId}`);
  }
  return inOneLine(error === null ? status : `${status}: ${error}`);
}
