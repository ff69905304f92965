import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const workersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["workers", slug],
    queryFn: ({ signal }) => api.listWorkers(slug, { limit: 500 }, { signal }),
  });
