/** Types of queries and rows that several operations share. */
import type {
  AuditRow,
  GetFacetQuery,
  GetTaskHistogramQuery,
  BulkRetryFilter as GivenFilter,
  ListAuditQuery,
  ListIssuesQuery,
  ListTasksQuery,
  TaskDelete,
} from "./api.generated.ts";

type Exporting = "format" | "fields";
type Paging = "cursor" | "limit" | "include_total";

export type TaskListQuery = Omit<ListTasksQuery, Exporting>;
export type TaskFilters = Omit<TaskListQuery, Paging>;
export type TaskExportQuery = Omit<ListTasksQuery, Paging> & Required<Pick<ListTasksQuery, "format">>;
export type BulkDeleteFilters = Omit<TaskDelete, "task_ids">;
export type TaskHistogramQuery = GetTaskHistogramQuery;
export type FacetQuery = GetFacetQuery;

export type AuditFilters = Omit<ListAuditQuery, Exporting | Paging>;
export type AuditExportQuery = Omit<ListAuditQuery, Paging> & Required<Pick<ListAuditQuery, "format">>;
/** The common fields of audit rows and activity. */
export type RecordedRow = Omit<AuditRow, "event_id" | "user_agent">;

type FilterFields = Omit<GivenFilter, "status">;
/** A filter in canonical form: without nulls, without the alias `status`, and without epoch seconds. */
export type BulkRetryFilter = { [Name in keyof FilterFields]: Exclude<FilterFields[Name], null | number> };
export type IssueListQuery = ListIssuesQuery;
