import { paths } from "../../address/paths.ts";
import type { TasksSearch } from "./tasks-search.ts";

/** A task's page, with the list that it stands in. */
export function taskAddress(slug: string, engine: string, taskId: string, search: TasksSearch): string {
  const { task: _drawer, ...list } = search;
  return paths.task(slug, engine, taskId, list);
}

/** As `redactionMarker` of the protocol, whose module only a task's own page loads. */
const maskMarker = "[REDACTED]";

/** What an address or a command names a task by: the id of its row when the task's own id is shown masked, so others may look the same. */
export const taskKey = ({ id, task_id }: { id: string; task_id: string }): string =>
  task_id.includes(maskMarker) ? id : task_id;

/** Whether a row is the task that an address names. */
export const isTaskAt = (
  row: { id: string; engine: string; task_id: string },
  engine: string | null,
  key: string | null,
): boolean => row.engine === engine && (row.task_id === key || row.id === key);

/** Whether a command may act on a task: one of several tasks, or of a masked id, may be about any. */
export const isAboutTask = (
  { target_type: type, target_id: id }: { target_type: string; target_id: string | null },
  taskId: string,
): boolean => type === "task" && (id === null || id === taskId || id.includes(maskMarker));

/** Engine and id of a task as the list's address names it; an id may have slashes of its own. */
export function splitTask(text: string | undefined): [string | null, string | null] {
  if (!text) return [null, null];
  const at = text.indexOf("/");
  return [text.slice(0, at), text.slice(at + 1)];
}
