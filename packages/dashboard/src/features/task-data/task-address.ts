import { paths } from "../../address/paths.ts";
import type { TasksSearch } from "./tasks-search.ts";

/** The URL of a task's page, including the filters of the list it was opened from. */
export function taskAddress(slug: string, engine: string, taskId: string, search: TasksSearch): string {
  const { task: _drawer, ...list } = search;
  return paths.task(slug, engine, taskId, list);
}

/** Same as `redactionMarker` of the protocol package, whose module only the task page loads. */
const maskMarker = "[REDACTED]";

/** The key of a task in URLs and commands: its row id if the task id is masked, as a masked id may not be unique. */
export const taskKey = ({ id, task_id }: { id: string; task_id: string }): string =>
  task_id.includes(maskMarker) ? id : task_id;

/** Whether a row is the task that a URL refers to. */
export const isTaskAt = (
  row: { id: string; engine: string; task_id: string },
  engine: string | null,
  key: string | null,
): boolean => row.engine === engine && (row.task_id === key || row.id === key);

/** Whether a command may act on a task. A command on several tasks, or with a masked id, may act on any task. */
export const isAboutTask = (
  { target_type: type, target_id: id }: { target_type: string; target_id: string | null },
  taskId: string,
): boolean => type === "task" && (id === null || id === taskId || id.includes(maskMarker));

/** Splits `<engine>/<task id>` from the list's URL; the id may contain slashes. */
export function splitTask(text: string | undefined): [string | null, string | null] {
  if (!text) return [null, null];
  const at = text.indexOf("/");
  return [text.slice(0, at), text.slice(at + 1)];
}
