import { type CallOptions, type DownloadCall, pathOf, type ReadFile, type Send } from "../request.ts";
import type {
  BulkDeleteFilters,
  Task,
  TaskExplanation,
  TaskExportQuery,
  TaskListQuery,
  TaskPage,
  TaskTree,
} from "../types/tasks.ts";

export function taskRoutes(send: Send, readFile: ReadFile) {
  return {
    listTasks: (slug: string, query: TaskListQuery, call?: CallOptions) =>
      send<TaskPage>("GET", pathOf`/projects/${slug}/tasks`, { ...call, query: { ...query } }),
    getTask: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<Task>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}`, call),
    /** Why it is not running, or has not ended: from what is stored, without asking an agent. */
    explainTask: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<TaskExplanation>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/explain`, call),
    getTaskTree: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<TaskTree>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/tree`, call),
    /** Every task that matches, newest first, as one file. More than the server's cap is refused, never cut. */
    exportTasks: (slug: string, query: TaskExportQuery, call?: Pick<DownloadCall, "signal" | "onBytes">) =>
      readFile(pathOf`/projects/${slug}/tasks`, { ...call, query: { ...query } }),
    /** Deletes at most 10,000 of the tasks that match, so that it may have to be repeated. */
    deleteMatchingTasks: (slug: string, filters: BulkDeleteFilters, call?: CallOptions) =>
      send<{ deleted_count: number }>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, { ...call, body: filters }),
    /** `taskIds` are row ids (Task.id), at most 1000. */
    deleteTasks: (slug: string, taskIds: string[], call?: CallOptions) =>
      send<{ deleted_count: number }>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, {
        ...call,
        body: { task_ids: taskIds },
      }),
  };
}
