import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const invitationsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["invitations", slug],
    queryFn: ({ signal }) => api.listInvitations(slug, { signal }),
  });
