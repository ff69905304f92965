import type { Task } from "@svc/client";
import { paths } from "../../../../address/paths.ts";
import { curlOf } from "./api-call.ts";

export interface TaskCopy {
  words: string;
  /** What was copied, as the end of a sentence. */
  what: string;
  text: () => string;
}

/** What can be taken away from a task as text besides its id; without `task`, what its address alone gives. */
export function copiesOf(slug: string, engine: string, taskId: string, task?: Task): TaskCopy[] {
  const byAddress: TaskCopy[] = [
    { words: "Copy as API call", what: "the API call", text: () => curlOf(location.origin, slug, engine, taskId) },
    { words: "Copy link", what: "the link", text: () => location.origin + paths.task(slug, engine, taskId) },
  ];
  return task
    ? [...byAddress, { words: "Copy as JSON", what: "the task", text: () => JSON.stringify(task, null, 2) }]
    : byAddress;
}
