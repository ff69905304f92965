import { type CallOptions, type DownloadCall, pathOf, type ReadFile, type Send } from "./request.ts";
import type { AgentStatusSample } from "./types/agents.ts";
import type { AuditPage, DeepHealth, DeletedTasks, ListAuditQuery, TaskPage } from "./types/api.generated.ts";
import type { AuditExportQuery, BulkDeleteFilters, TaskExportQuery, TaskListQuery } from "./types/queries.ts";

type FileCall = Pick<DownloadCall, "signal" | "onBytes">;

/** Calls that are another use of an operation than the plain one, or know more of its answer than the document says. */
export function handWrittenCalls(send: Send, readFile: ReadFile) {
  return {
    listTasks: (slug: string, query: TaskListQuery, call?: CallOptions) =>
      send<TaskPage>("GET", pathOf`/projects/${slug}/tasks`, { ...call, query }),
    /** Every task that matches, newest first, as one file. More than the server's cap is refused, never cut. */
    exportTasks: (slug: string, query: TaskExportQuery, call?: FileCall) =>
      readFile(pathOf`/projects/${slug}/tasks`, { ...call, query }),
    /** Deletes at most 10,000 of the tasks that match, so that it may have to be repeated. */
    deleteMatchingTasks: (slug: string, body: BulkDeleteFilters, call?: CallOptions) =>
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, { ...call, body }),
    /** `taskIds` are row ids (Task.id), at most 1000. */
    deleteTasks: (slug: string, taskIds: string[], call?: CallOptions) =>
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, {
        ...call,
        body: { task_ids: taskIds },
      }),
    listAudit: (slug: string, query: Omit<ListAuditQuery, "format" | "fields"> = {}, call?: CallOptions) =>
      send<AuditPage>("GET", pathOf`/projects/${slug}/audit`, { ...call, query }),
    /** Every row that matches, newest first, as one file. More than the server's cap is refused, never cut. */
    exportAudit: (slug: string, query: AuditExportQuery, call?: FileCall) =>
      readFile(pathOf`/projects/${slug}/audit`, { ...call, query }),
    listAgentStatus: (slug: string, agentId: string, call?: CallOptions) =>
      send<{ items: AgentStatusSample[] }>("GET", pathOf`/projects/${slug}/agents/${agentId}/status-history`, call),
    /** Whether a check failed or not, the answer is what the checks say. */
    getDeepHealth: (call?: CallOptions) =>
      send<DeepHealth>("GET", "/health/deep", { ...call, answersWith: { status: 503, member: "checks" } }),
  };
}
