import type { Issue } from "@svc/client";

/** The title of an issue: the error class and the template of its message, or the template alone. */
export function titleOf({ error_class: errorClass, template }: Pick<Issue, "error_class" | "template">): {
  type: string;
  message: string;
} {
  if (errorClass === null) return { type: template ?? "No error message", message: "" };
  return { type: errorClass, message: template ?? "" };
}

/** The filters of the task list that show the failed tasks of an issue; by its fingerprint, for other failures may have the same type. */
export function tasksOfIssue({ fingerprint }: Pick<Issue, "fingerprint">): Record<string, string> {
  return { state: "failure", q: `fingerprint:${fingerprint}` };
}

/** `new` for an issue that was never seen before the range, `recovered` for one of which no task is failed any more. */
export function tagOf(issue: Issue, sinceMs: number): "new" | "recovered" | null {
  if (issue.status === "recovered") return "recovered";
  return Date.parse(issue.first_seen) >= sinceMs ? "new" : null;
}
