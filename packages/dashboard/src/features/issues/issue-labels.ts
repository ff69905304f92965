import type { Issue } from "@svc/client";

/** The title of an issue: error class and message template, or the template alone. */
export function titleOf({ error_class: errorClass, template }: Pick<Issue, "error_class" | "template">): {
  type: string;
  message: string;
} {
  if (errorClass === null) return { type: template ?? "No error message", message: "" };
  return { type: errorClass, message: template ?? "" };
}

/** Task list filters for the failed tasks of an issue. They use the fingerprint, as other issues may share the error class. */
export function tasksOfIssue({ fingerprint }: Pick<Issue, "fingerprint">): Record<string, string> {
  return { state: "failure", q: `fingerprint:${fingerprint}` };
}

/** `new` for an issue first seen in the range, `recovered` for one without failed tasks. */
export function tagOf(issue: Issue, sinceMs: number): "new" | "recovered" | null {
  if (issue.status === "recovered") return "recovered";
  return Date.parse(issue.first_seen) >= sinceMs ? "new" : null;
}
