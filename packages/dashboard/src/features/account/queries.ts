import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const passwordPolicyQuery = queryOptions({
  queryKey: ["password-policy"],
  queryFn: ({ signal }) => api.getPasswordPolicy({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => api.listSessions({ signal }),
});
