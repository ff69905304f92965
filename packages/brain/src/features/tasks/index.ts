export { taskBreakdownRoutes } from "./breakdowns/routes.ts";
export { changedTasks } from "./list.ts";
export { indexTaskIds, pruneTasks } from "./loops.ts";
export { unnamed } from "./projection/fold.ts";
export { winnerIdOf } from "./projection/fold-keys.ts";
export { recordLinks } from "./projection/link-store.ts";
export {
  changeTasks,
  copyTasks,
  joinLinks,
  lostRaceCode,
  type PresentTask,
  readTasks,
} from "./projection/postgres-store.ts";
export { instantsOf } from "./query/filter.ts";
export { type RetriedTask, tasksByRowId } from "./reads.ts";
export { taskRoutes } from "./routes.ts";
export { taskValues, textAfter } from "./search/distinct-values-reads.ts";
export type { TaskPosition } from "./search/match-reads.ts";
export { findSelected, type RetrySelection, readSelected } from "./select-for-retry.ts";
export { checkTaskRetention, taskSettings } from "./settings.ts";
