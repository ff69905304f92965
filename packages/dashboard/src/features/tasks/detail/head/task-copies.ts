import type { Task } from "@svc/client";
import { paths } from "../../../../address/paths.ts";
import { curlOf } from "./api-call.ts";

export interface TaskCopy {
  label: string;
  /** The copied thing, as the end of "Copied …". */
  what: string;
  text: () => string;
}

/** What can be copied from a task besides its id. Without `task`, only what its URL provides. */
export function copiesOf(slug: string, engine: string, taskId: string, task?: Task): TaskCopy[] {
  const byUrl: TaskCopy[] = [
    { label: "Copy as API call", what: "the API call", text: () => curlOf(location.origin, slug, engine, taskId) },
    { label: "Copy link", what: "the link", text: () => location.origin + paths.task(slug, engine, taskId) },
  ];
  return task
    ? [...byUrl, { label: "Copy as JSON", what: "the task", text: () => JSON.stringify(task, null, 2) }]
    : byUrl;
}
