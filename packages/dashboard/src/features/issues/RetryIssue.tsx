import { plural } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useTimedMs } from "../../live/live.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import { ask } from "../actions/index.ts";
import { useMayNot } from "../projects/index.ts";
import { issueQuery } from "./issue-queries.ts";
import { retryIssue } from "./retry-issue-action.tsx";

interface RetryIssueProps {
  slug: string;
  fingerprint: string;
  /** Tasks still failing in the page's time range. */
  openInRange: number;
}

/** Retries all failed tasks of an issue, regardless of the page's time range; the label counts the same tasks. */
export function RetryIssue({ slug, fingerprint, openInRange }: RetryIssueProps) {
  const whole = useQuery({ ...issueQuery(slug, fingerprint, {}), refetchInterval: useTimedMs(30_000) });
  const mayNot = useMayNot(slug);
  const open = whole.data?.open_count ?? 0;
  const subject = { fingerprint, open_count: open, engines: whole.data?.engines ?? [] };
  const reason =
    mayNot ??
    (whole.data === undefined
      ? whole.isError
        ? "Couldn't count the tasks"
        : "Counting tasks"
      : retryIssue.guard(subject));
  return (
    <Button disabledReason={reason} onClick={() => ask(retryIssue, subject)} icon="retry">
      {retryLabel(open, { isCapped: whole.data?.is_capped ?? false, openInRange })}
    </Button>
  );
}

function retryLabel(open: number, { isCapped, openInRange }: { isCapped: boolean; openInRange: number }): string {
  if (open < 2) return "Retry";
  const all = open > openInRange ? "all " : "";
  return isCapped ? `Retry at least ${plural(open, "task")}` : `Retry ${all}${plural(open, "task")}`;
}
