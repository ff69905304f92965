import type { FoldedTask } from "./fold.ts";

/** What a search looks through on the server database: the four texts in lower case, one per line, so that no hit spans two. */
export const searchTextOf = (row: Pick<FoldedTask, "name" | "queue" | "worker_name" | "task_id">): string =>
  `${row.name}\n${row.queue ?? ""}\n${row.worker_name ?? ""}\n${row.task_id}`.toLowerCase();

/** Whether two rows of one task are found by different searches, or at another place in the list. */
export const hasNewSearchText = (before: FoldedTask, after: FoldedTask): boolean =>
  before.name !== after.name ||
  before.queue !== after.queue ||
  before.worker_name !== after.worker_name ||
  before.received_at !== after.received_at;
