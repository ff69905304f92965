import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const apiKeysQuery = queryOptions({
  queryKey: ["api-keys"],
  queryFn: ({ signal }) => api.listApiKeys({ signal }),
});

export const scopesQuery = queryOptions({
  queryKey: ["scopes"],
  queryFn: ({ signal }) => api.listScopes({ signal }),
  staleTime: 5 * 60_000,
});
