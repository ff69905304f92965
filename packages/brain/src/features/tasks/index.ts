export { taskBreakdownRoutes } from "./breakdowns/routes.ts";
export { indexTaskIds } from "./index-task-ids.ts";
export { changedTasks } from "./list.ts";
export { pruneTasks } from "./loops.ts";
export { type EventHead, taskEventOf } from "./projection/event-row.ts";
export { type FoldedTask, foldEvents, mergeRows, rowOfEvents, type TaskEvent, unnamed } from "./projection/fold.ts";
export { winnerIdOf } from "./projection/fold-keys.ts";
export { recordLinks } from "./projection/link-store.ts";
export { joinLinks } from "./projection/links-postgres-store.ts";
export type { LinkStore, TaskLink } from "./projection/links-sqlite-store.ts";
export {
  changeTasks,
  copyTasks,
  lostRaceCode,
  type PresentTask,
  readTasks,
  type TaskWrite,
} from "./projection/postgres-store.ts";
export type { TermStore } from "./projection/search-sqlite-store.ts";
export { hasNewSearchText } from "./projection/search-text.ts";
export { type MergedTask, type StoredTask, storedTask, type TaskStore } from "./projection/sqlite-store.ts";
export { instantsOf } from "./query/filter.ts";
export { type RetriedTask, tasksByRowId } from "./reads.ts";
export { taskRoutes } from "./routes.ts";
export { taskValues, textAfter } from "./search/distinct-values-reads.ts";
export { findSelected, type RetrySelection, readSelected } from "./select-for-retry.ts";
export { checkTaskRetention, taskSettings } from "./settings.ts";
