import type { Command } from "@svc/client";

/** Whether a command is about a task, alone or among others. To who may not see payloads, the others are not known. */
export function isOfTask(
  { target_type: type, target_id: id, payload }: Pick<Command, "target_type" | "target_id" | "payload">,
  { engine, task_id: taskId }: { engine: string; task_id: string },
): boolean {
  const filter = payload.filter as { engine?: unknown; task_ids?: unknown } | null | undefined;
  const itsEngine = payload.engine ?? filter?.engine;
  if (typeof itsEngine === "string" && itsEngine !== engine) return false;
  if (id !== null) return type === "task" && id === taskId;
  return Array.isArray(filter?.task_ids) && filter.task_ids.includes(taskId);
}
