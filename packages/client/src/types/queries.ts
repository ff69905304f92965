/** Names of queries and rows that several operations share. */
import type {
  AuditRow,
  GetFacetQuery,
  GetLatencyQuery,
  GetTaskDifferencesQuery,
  GetTaskHistogramQuery,
  GetTrendsQuery,
  BulkRetryFilter as GivenFilter,
  ListActivityQuery,
  ListAuditQuery,
  ListBulkRetriesQuery,
  ListBulkRetryChildrenQuery,
  ListCommandsQuery,
  ListDeadLettersQuery,
  ListEventsQuery,
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
export type TaskDifferencesQuery = GetTaskDifferencesQuery;
export type FacetQuery = GetFacetQuery;

export type AuditFilters = Omit<ListAuditQuery, Exporting | Paging>;
export type AuditExportQuery = Omit<ListAuditQuery, Paging> & Required<Pick<ListAuditQuery, "format">>;
export type ActivityQuery = ListActivityQuery;
/** What audit rows and activity have in common. */
export type RecordedRow = Omit<AuditRow, "event_id" | "user_agent">;

type FilterFields = Omit<GivenFilter, "status">;
/** A filter in one way of writing: without nulls, which mean the same as absence, `status`, which is `state`, and epoch seconds. */
export type BulkRetryFilter = { [Name in keyof FilterFields]: Exclude<FilterFields[Name], null | number> };
export type BulkRetryListQuery = ListBulkRetriesQuery;
export type BulkRetryChildQuery = ListBulkRetryChildrenQuery;
export type CommandListQuery = ListCommandsQuery;
export type DeadLetterQuery = ListDeadLettersQuery;
export type EventListQuery = ListEventsQuery;
export type IssueListQuery = ListIssuesQuery;
export type LatencyQuery = GetLatencyQuery;
export type TrendsQuery = GetTrendsQuery;
