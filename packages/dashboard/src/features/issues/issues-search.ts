import type { Issue, IssueListQuery } from "@svc/client";
import { readRange } from "../../address/range-text.ts";

export type IssueSort = NonNullable<IssueListQuery["sort"]>;
export const issueStatuses = ["ongoing", "recovered"] as const satisfies readonly Issue["status"][];

/** The URL parameters of the issue list. */
export interface IssuesSearch {
  status?: Issue["status"];
  engine?: string;
  /** Sorted by last failure when absent. */
  sort?: Extract<IssueSort, "occurrences">;
  since?: string;
  until?: string;
}

export function readIssuesSearch({ status, engine, sort, ...raw }: Readonly<Record<string, unknown>>): IssuesSearch {
  const known = issueStatuses.find((one) => one === status);
  return {
    ...(known && { status: known }),
    ...(typeof engine === "string" && engine !== "" && engine.length <= 40 && { engine }),
    ...(sort === "occurrences" && { sort }),
    ...readRange(raw),
  };
}
