import { type CallOptions, type DownloadCall, pathOf, type ReadFile, type Send } from "../request.ts";
import type {
  DeletedTasks,
  EventPage,
  Facet,
  IssuePage,
  Task,
  TaskDifferences,
  TaskExplanation,
  TaskHistogram,
  TaskPage,
  TaskTree,
} from "../types/api.generated.ts";
import type {
  BulkDeleteFilters,
  EventListQuery,
  FacetQuery,
  IssueListQuery,
  TaskDifferencesQuery,
  TaskExportQuery,
  TaskHistogramQuery,
  TaskListQuery,
} from "../types/queries.ts";

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
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, { ...call, body: filters }),
    /** `taskIds` are row ids (Task.id), at most 1000. */
    deleteTasks: (slug: string, taskIds: string[], call?: CallOptions) =>
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, {
        ...call,
        body: { task_ids: taskIds },
      }),
  };
}

export function taskBreakdownRoutes(send: Send) {
  return {
    getFacet: (slug: string, query: FacetQuery, call?: CallOptions) =>
      send<Facet>("GET", pathOf`/projects/${slug}/facets`, { ...call, query: { ...query } }),
    getTaskHistogram: (slug: string, query: TaskHistogramQuery = {}, call?: CallOptions) =>
      send<TaskHistogram>("GET", pathOf`/projects/${slug}/tasks/histogram`, { ...call, query: { ...query } }),
    getTaskDifferences: (slug: string, query: TaskDifferencesQuery, call?: CallOptions) =>
      send<TaskDifferences>("GET", pathOf`/projects/${slug}/tasks/differences`, { ...call, query: { ...query } }),
  };
}

export function eventRoutes(send: Send) {
  return {
    listEvents: (slug: string, query: EventListQuery, call?: CallOptions) =>
      send<EventPage>("GET", pathOf`/projects/${slug}/events`, { ...call, query: { ...query } }),
  };
}

export function issueRoutes(send: Send) {
  return {
    listIssues: (slug: string, query: IssueListQuery = {}, call?: CallOptions) =>
      send<IssuePage>("GET", pathOf`/projects/${slug}/issues`, { ...call, query: { ...query } }),
  };
}
