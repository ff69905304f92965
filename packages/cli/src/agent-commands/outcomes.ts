import type { Command } from "@svc/client";
import { inOneLine } from "../terminal/printed.ts";

/** A command that no agent will say anything about any more. */
export const isOver = ({ status }: Command): boolean => status !== "pending" && status !== "dispatched";

/** What became of one command, in words. */
export function outcomeOf(command: Command): string {
  const { status, error, result } = command;
  if (status === "completed") {
    const { new_task_id: newId = null } = (result ?? {}) as { new_task_id?: string | null };
    return newId === null ? "completed" : inOneLine(`completed as ${newId}`);
  }
  return inOneLine(error === null ? status : `${status}: ${error}`);
}
