import type { IssueListQuery, TaskPage } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AddressRange } from "../../address/range-text.ts";
import { api } from "../../api/api.ts";
import type { Live } from "../../live/declared.ts";
import { type ListRow, listRow } from "../task-data/index.ts";

const pageRows = 50;
/** Sorting by occurrences returns a single page. */
export const mostFrequentRows = 100;
const staleTime = 5_000;

/** Issues are not pushed, so they are fetched again shortly after tasks fail. */
const afterFailures: NonNullable<Live["on"]> = {
  "task.changed": {
    isStale: ({ rows = [], refetch }) => refetch === true || rows.some((row) => row.fingerprint),
    delayMs: 1_500,
  },
};

/** Issues with their failures in the range. */
export const issuePages = (
  slug: string,
  query: Pick<IssueListQuery, "status" | "engine" | "sort" | "since" | "until">,
) =>
  infiniteQueryOptions({
    queryKey: ["issues", slug, "list", query],
    queryFn: ({ pageParam, signal }) =>
      api.listIssues(
        slug,
        {
          ...query,
          trend: true,
          limit: query.sort === "occurrences" ? mostFrequentRows : pageRows,
          ...(pageParam && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    staleTime,
    meta: { live: { project: slug, on: afterFailures, onResume: "ignore" } },
  });

/** One issue in a range; null when it has no failures in that range. */
export const issueQuery = (slug: string, fingerprint: string, range: AddressRange) =>
  queryOptions({
    queryKey: ["issues", slug, "one", fingerprint, range],
    queryFn: async ({ signal }) => {
      const { items } = await api.listIssues(slug, { fingerprint, trend: true, ...range }, { signal });
      return items[0] ?? null;
    },
    placeholderData: keepPreviousData,
    staleTime,
    meta: { live: { project: slug, on: afterFailures, onResume: "ignore" } },
  });

/** The tasks whose last failure belongs to an issue, newest first. */
export const issueTasksQuery = (slug: string, fingerprint: string, limit: number) =>
  queryOptions({
    queryKey: ["issue-tasks", slug, fingerprint, limit],
    queryFn: ({ signal }) => api.listTasks(slug, { q: `fingerprint:${fingerprint}`, limit }, { signal }),
    placeholderData: keepPreviousData,
    staleTime,
    meta: { live: { project: slug, on: afterFailures } },
  });

export const spreadFields = ["name", "queue", "worker"] as const;
const spreadValues = 5;

/** The task names, queues and workers of an issue's tasks, most frequent first. */
export const issueSpreadQuery = (slug: string, fingerprint: string, range: AddressRange) =>
  queryOptions({
    queryKey: ["issue-spread", slug, fingerprint, range],
    queryFn: ({ signal }) => {
      const which = { q: `fingerprint:${fingerprint}`, limit: spreadValues, ...range };
      return Promise.all(spreadFields.map((field) => api.getFacet(slug, { ...which, field }, { signal })));
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    meta: { live: { project: slug } },
  });

/** The maximum number of tasks in one bulk retry. */
const maximumRetried = 10_000;
/** The server may return fewer per page. */
const failedRows = 500;

/** The currently failed tasks of an issue, newest first. Read once, when the retry dialog opens. */
export const failedOfIssueQuery = (slug: string, fingerprint: string) =>
  queryOptions({
    queryKey: ["issue-failed", slug, fingerprint],
    queryFn: async ({ signal }) => {
      const rows: ListRow[] = [];
      let cursor: string | null = null;
      do {
        const which = { q: `fingerprint:${fingerprint}`, state: "failure", limit: failedRows } as const;
        const page: TaskPage = await api.listTasks(slug, { ...which, ...(cursor && { cursor }) }, { signal });
        rows.push(...page.items.map(listRow));
        cursor = page.next_cursor;
      } while (cursor !== null && rows.length < maximumRetried);
      return rows.slice(0, maximumRetried);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
