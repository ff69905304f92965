import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

export const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: ({ signal }) => api.listQueues(slug, { limit: 500 }, { signal }),
  });
