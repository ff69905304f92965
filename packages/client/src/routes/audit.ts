import { type CallOptions, type DownloadCall, pathOf, type ReadFile, type Send } from "../request.ts";
import type { ActivityPage, AuditPage, ListAuditQuery } from "../types/api.generated.ts";
import type { ActivityQuery, AuditExportQuery } from "../types/queries.ts";

export function auditRoutes(send: Send, readFile: ReadFile) {
  return {
    listAudit: (slug: string, query: Omit<ListAuditQuery, "format" | "fields"> = {}, call?: CallOptions) =>
      send<AuditPage>("GET", pathOf`/projects/${slug}/audit`, { ...call, query: { ...query } }),
    /** Every row that matches, newest first, as one file. More than the server's cap is refused, never cut. */
    exportAudit: (slug: string, query: AuditExportQuery, call?: Pick<DownloadCall, "signal" | "onBytes">) =>
      readFile(pathOf`/projects/${slug}/audit`, { ...call, query: { ...query } }),
    /** What the caller may see of all projects, newest first. */
    listActivity: (query: ActivityQuery = {}, call?: CallOptions) =>
      send<ActivityPage>("GET", "/activity", { ...call, query: { ...query } }),
  };
}
