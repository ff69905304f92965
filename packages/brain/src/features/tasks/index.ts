export { taskBreakdownRoutes } from "./breakdowns/routes.ts";
export { changedTasks } from "./list.ts";
export { indexTaskIds, pruneTasks } from "./loops.ts";
export { type EventHead, taskEventOf } from "./projection/event-row.ts";
export { type FoldedTask, foldEvents, mergeRows, rowOfEvents, type TaskEvent, unnamed } from "./projection/fold.ts";
export { winnerIdOf } from "./projection/fold-keys.ts";
export { recordLinks, type TaskLink } from "./projection/link-store.ts";
export {
  changeTasks,
  copyTasks,
  hasNewSearchText,
  joinLinks,
  lostRaceCode,
  type PresentTask,
  readTasks,
  type TaskWrite,
} from "./projection/postgres-store.ts";
export type { TermStore } from "./projection/search-sqlite-store.ts";
export {
  type LinkStore,
  type MergedTask,
  type StoredTask,
  storedTask,
  type TaskStore,
} from "./projection/sqlite-store.ts";
export { instantsOf } from "./query/filter.ts";
export { type RetriedTask, tasksByRowId } from "./reads.ts";
export { taskRoutes } from "./routes.ts";
export { taskValues, textAfter } from "./search/distinct-values-reads.ts";
export { findSelected, type RetrySelection, readSelected } from "./select-for-retry.ts";
export { checkTaskRetention, taskSettings } from "./settings.ts";
