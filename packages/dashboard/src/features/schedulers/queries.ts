import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

/** For instance administrators. */
export const schedulersQuery = queryOptions({
  queryKey: ["schedulers"],
  queryFn: ({ signal }) => api.listSchedulers({ signal }),
  staleTime: 5_000,
  meta: { live: {} },
});
