// Code that also runs in the database threads, without the routes that index.ts loads.
export { taskEventOf } from "./projection/event-row.ts";
export {
  type FoldedTask,
  mergeRows,
  rowOfEvents,
  type TaskChange,
  type TaskEvent,
} from "./projection/fold.ts";
export type { TaskLink } from "./projection/link-store.ts";
export { indexTaskIdsJob } from "./projection/search-sqlite-store.ts";
export { openLinkStore, openTaskStore, type StoredTask, storedTask, taskView } from "./projection/sqlite-store.ts";
