import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { IssueListQuery, IssuePage } from "../types/issues.ts";

export function issueRoutes(send: Send) {
  return {
    listIssues: (slug: string, query: IssueListQuery = {}, call?: CallOptions) =>
      send<IssuePage>("GET", pathOf`/projects/${slug}/issues`, { ...call, query: { ...query } }),
  };
}
