import type { Issue } from "@svc/client";
import { lazy } from "react";
import type { Action } from "../actions/index.ts";

const RetryIssueDialog = lazy(() =>
  import("./RetryIssueDialog.tsx").then((part) => ({ default: part.RetryIssueDialog })),
);

/** Retries the failed tasks of an issue. The dialog shows which of its engines support bulk retries. */
export const retryIssue: Action<Pick<Issue, "fingerprint" | "open_count" | "engines">> = {
  id: "issue.retry",
  label: "Retry",
  icon: "retry",
  inPalette: { label: "Retry failed tasks of this issue" },
  needs: ({ engines }) => engines.map((engine) => ({ engine, capability: "bulk_retry" })),
  guard: ({ open_count }) => (open_count === 0 ? "No failed tasks to retry" : null),
  Dialog: ({ subject: { fingerprint }, ...rest }) => <RetryIssueDialog {...rest} fingerprint={fingerprint} />,
};
