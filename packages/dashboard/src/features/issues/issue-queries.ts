import type { IssueListQuery, TaskPage } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AddressRange } from "../../address/range-text.ts";
import { api } from "../../api/api.ts";
import type { Live } from "../../live/declared.ts";
import { type ListRow, listRow } from "../task-data/index.ts";

const pageRows = 50;
/** The order by occurrences has a single page. */
export const mostFrequentRows = 100;
const staleTime = 5_000;

/** Issues themselves are not pushed: they are read again soon after tasks failed. */
const afterFailures: NonNullable<Live["on"]> = {
  "task.changed": {
    isStale: ({ rows = [], refetch }) => refetch === true || rows.some((row) => row.fingerprint),
    delayMs: 1_500,
  },
};

/** Issues with their failures over the range. */
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

/** One issue in a range; null when none of its failures lies there. */
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

/** The tasks whose last failure is of an issue, the newest first. */
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

/** On which names, queues and workers the tasks of an issue are, the most first. */
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

/** A retry of an issue's tasks is of so many at a time; a bulk retry takes no more. */
const mostRetried = 10_000;
/** The service may give fewer at a time. */
const failedRows = 500;

/** All that is kept of the tasks of an issue that are failed now, the newest first. They are read when somebody asks for their retry, and not again. */
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
      } while (cursor !== null && rows.length < mostRetried);
      return rows.slice(0, mostRetried);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
