import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => api.getSettings({ signal }),
  staleTime: 60_000,
});

export const knownVersionsQuery = queryOptions({
  queryKey: ["known-versions"],
  queryFn: ({ signal }) => api.getKnownVersions({ signal }),
  staleTime: 60_000,
});

export const systemQuery = queryOptions({
  queryKey: ["health", "system"],
  queryFn: ({ signal }) => api.getSystem({ signal }),
  staleTime: 60_000,
  meta: { live: {} },
});

export const deepHealthQuery = queryOptions({
  queryKey: ["health", "deep"],
  queryFn: ({ signal }) => api.getDeepHealth({ signal }),
  staleTime: 5_000,
  meta: { live: {} },
});
