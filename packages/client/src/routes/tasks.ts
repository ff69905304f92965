import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Task, TaskListQuery, TaskPage, TaskTree } from "../types/tasks.ts";

export function taskRoutes(send: Send) {
  return {
    listTasks: (slug: string, query: TaskListQuery, call?: CallOptions) =>
      send<TaskPage>("GET", pathOf`/projects/${slug}/tasks`, { ...call, query: { ...query } }),
    getTask: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<Task>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}`, call),
    getTaskTree: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<TaskTree>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/tree`, call),
    /** `taskIds` are row ids (Task.id), at most 1000. */
    deleteTasks: (slug: string, taskIds: string[], call?: CallOptions) =>
      send<{ deleted_count: number }>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, {
        ...call,
        body: { task_ids: taskIds },
      }),
  };
}
