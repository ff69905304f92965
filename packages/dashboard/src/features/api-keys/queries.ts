import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const apiKeysQuery = queryOptions({
  queryKey: ["api-keys"],
  queryFn: ({ signal }) => api.listApiKeys({ signal }),
});

export const scopesQuery = queryOptions({
  queryKey: ["scopes"],
  queryFn: ({ signal }) => api.listScopes({ signal }),
  staleTime: 5 * 60_000,
});

/** The caller's address as the server saw it when this session began; null when it did not. */
export const ownAddressQuery = queryOptions({
  queryKey: ["own-address"],
  queryFn: async ({ signal }) => {
    const { items } = await api.listSessions({ signal });
    return items.find(({ is_current }) => is_current)?.ip_at_issue ?? null;
  },
  staleTime: 5 * 60_000,
});
