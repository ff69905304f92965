import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const passwordPolicyQuery = queryOptions({
  queryKey: ["password-policy"],
  queryFn: ({ signal }) => api.getPasswordPolicy({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => api.listSessions({ signal }),
});

export const securityHistoryPages = infiniteQueryOptions({
  queryKey: ["security-history"],
  queryFn: ({ pageParam, signal }) =>
    api.getSecurityHistory(pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});
