import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const membersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["members", slug],
    queryFn: ({ signal }) => api.listMembers(slug, { signal }),
  });
