import type { Issue } from "@svc/client";

/** What is before the first colon of an error's first line, and what is after it. */
export function splitError(text: string | null): { type: string; message: string } {
  const line = text?.trim().split("\n", 1)[0]?.trim() ?? "";
  if (line === "") return { type: "No error text", message: "" };
  const colon = line.indexOf(": ");
  return colon < 0 ? { type: line, message: "" } : { type: line.slice(0, colon), message: line.slice(colon + 2) };
}

/** The filters of the task list that show the failed tasks of an issue; by its fingerprint, for other failures may have the same type. */
export function tasksOfIssue({ fingerprint }: Pick<Issue, "fingerprint">): Record<string, string> {
  return { state: "failure", q: `fingerprint:${fingerprint}` };
}

/** The issues with most failures in the range first; among equals the newest. */
export function byOccurrences(issues: readonly Issue[]): Issue[] {
  return issues.toSorted((a, b) => b.occurrences - a.occurrences || b.last_seen.localeCompare(a.last_seen));
}

/** `new` for an issue that was never seen before the range, `recovered` for one of which no task is failed any more. */
export function tagOf(issue: Issue, sinceMs: number): "new" | "recovered" | null {
  if (issue.status === "recovered") return "recovered";
  return Date.parse(issue.first_seen) >= sinceMs ? "new" : null;
}

export const stateOf = (issue: Issue, sinceMs: number): "new" | "ongoing" | "recovered" =>
  tagOf(issue, sinceMs) ?? "ongoing";
