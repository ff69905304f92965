import type { Issue, IssueListQuery } from "@svc/client";
import { readRange } from "../../address/range-text.ts";

export type IssueSort = NonNullable<IssueListQuery["sort"]>;
export const issueStatuses = ["ongoing", "recovered"] as const satisfies readonly Issue["status"][];

/** What the address of the list of issues may say. */
export interface IssuesSearch {
  status?: Issue["status"];
  engine?: string;
  /** Absent: by last failure. */
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
