import { type CallOptions, type DownloadCall, pathOf, type ReadFile, type Send } from "./request.ts";
import type { AgentStatusSample } from "./types/agents.ts";
import type { AuditPage, DeepHealth, DeletedTasks, ListAuditQuery, TaskPage } from "./types/api.generated.ts";
import type { AuditExportQuery, BulkDeleteFilters, TaskExportQuery, TaskListQuery } from "./types/queries.ts";

type FileCall = Pick<DownloadCall, "signal" | "onBytes">;

/** Calls that use an operation in another way, or whose response types are more precise than the document. */
export function handWrittenCalls(send: Send, readFile: ReadFile) {
  return {
    listTasks: (slug: string, query: TaskListQuery, call?: CallOptions) =>
      send<TaskPage>("GET", pathOf`/projects/${slug}/tasks`, { ...call, query }),
    /** All matching tasks, newest first, as one file. The server refuses more than its limit. */
    exportTasks: (slug: string, query: TaskExportQuery, call?: FileCall) =>
      readFile(pathOf`/projects/${slug}/tasks`, { ...call, query }),
    /** Deletes up to 10,000 matching tasks. Repeat it for more. */
    deleteMatchingTasks: (slug: string, body: BulkDeleteFilters, call?: CallOptions) =>
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, { ...call, body }),
    /** `taskIds` are up to 1000 row ids (Task.id). */
    deleteTasks: (slug: string, taskIds: string[], call?: CallOptions) =>
      send<DeletedTasks>("POST", pathOf`/projects/${slug}/tasks/bulk-delete`, {
        ...call,
        body: { task_ids: taskIds },
      }),
    listAudit: (slug: string, query: Omit<ListAuditQuery, "format" | "fields"> = {}, call?: CallOptions) =>
      send<AuditPage>("GET", pathOf`/projects/${slug}/audit`, { ...call, query }),
    /** All matching rows, newest first, as one file. The server refuses more than its limit. */
    exportAudit: (slug: string, query: AuditExportQuery, call?: FileCall) =>
      readFile(pathOf`/projects/${slug}/audit`, { ...call, query }),
    listAgentStatus: (slug: string, agentId: string, call?: CallOptions) =>
      send<{ items: AgentStatusSample[] }>("GET", pathOf`/projects/${slug}/agents/${agentId}/status-history`, call),
    /** Returns the checks even if one failed (status 503). */
    getDeepHealth: (call?: CallOptions) =>
      send<DeepHealth>("GET", "/health/deep", { ...call, acceptedError: { status: 503, member: "checks" } }),
  };
}
