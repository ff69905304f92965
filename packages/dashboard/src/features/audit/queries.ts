import type { AuditFilters, Member } from "@svc/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../../api/api.ts";
import { membersQuery } from "../memberships/index.ts";
import { useMe } from "../sessions/index.ts";
import type { ActivitySearch } from "./audit-search.ts";
import type { Names } from "./labels.ts";

// A refetch would move the rows while the user reads: these lists are reloaded only on request.

const pageRows = 100;
/** The maximum number of loaded pages; to go further back, the user narrows the filters. */
export const maximumPages = 50;

export const auditQuery = (slug: string, filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ["audit", slug, filters],
    queryFn: ({ pageParam, signal }) =>
      api.listAudit(slug, { ...filters, limit: pageRows, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });

export const activityQuery = ({ action, project }: ActivitySearch) =>
  infiniteQueryOptions({
    queryKey: ["activity", { action, project }],
    queryFn: ({ pageParam, signal }) =>
      api.listActivity(
        {
          limit: pageRows,
          ...(project && { project_slug: project }),
          ...(action && { action_prefix: action }),
          ...(pageParam && { before_cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_before_cursor,
    placeholderData: keepPreviousData,
  });

const namesStaleMs = 5 * 60_000;

const namesIn = ({ items }: { items: readonly Member[] }) =>
  items.map(({ user_id, user_display_name, user_email }) => [user_id, user_display_name || user_email] as const);

const usersQuery = queryOptions({
  queryKey: ["user-names"],
  queryFn: async ({ signal }) => {
    const users = await api.listUsers({ limit: 500 }, { signal });
    return users.map(({ id, display_name, email }) => [id, display_name || email] as const);
  },
  staleTime: namesStaleMs,
});

/** The number of projects whose members are loaded, to limit the requests of a page. */
const maximumProjects = 4;

/** Names by account id, for the entries of these projects. Instance admins get all accounts. */
export function useNames(slugs: readonly string[]): Names {
  const me = useMe();
  const loadedSlugs = me.is_admin ? [] : slugs.slice(0, maximumProjects);
  const users = useQuery({ ...usersQuery, enabled: me.is_admin });
  const members = useQueries({
    queries: loadedSlugs.map((slug) => ({ ...membersQuery(slug), select: namesIn, staleTime: namesStaleMs })),
    combine: (all) => all.map(({ data }) => data),
  });
  return useMemo(() => new Map([...members, users.data].flatMap((pairs) => pairs ?? [])), [members, users.data]);
}
