import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTimedMs } from "../../live/live.ts";
import { HeldButton } from "../../ui/buttons/HeldButton.tsx";
import controls from "../../ui/controls.module.css";
import { Icon } from "../../ui/Icon.tsx";
import { Dialog, dialogFoot } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Refusal } from "../../ui/panels/Refusal.tsx";
import { count } from "../../ui/time/format.ts";
import { useMayNot } from "../actions/requests/use-act.ts";
import { BulkDialog } from "../actions/tasks/BulkDialog.tsx";
import { failedOfIssueQuery, issueQuery } from "./issue-queries.ts";

interface RetryIssueProps {
  slug: string;
  fingerprint: string;
  /** Its tasks that are failed now, of those in the range of the page. */
  openInRange: number;
}

/** Retries the failed tasks of an issue, whenever they failed: what is counted is what is asked for. */
export function RetryIssue({ slug, fingerprint, openInRange }: RetryIssueProps) {
  const [isAsked, setAsked] = useState(false);
  const whole = useQuery({ ...issueQuery(slug, fingerprint, {}), refetchInterval: useTimedMs(30_000) });
  const mayNot = useMayNot(slug);
  const open = whole.data?.open_count ?? 0;
  const reason =
    mayNot ??
    (whole.data === undefined
      ? whole.isError
        ? "Its tasks could not be counted"
        : "Counting its tasks"
      : open === 0
        ? "None of its tasks is failed now"
        : null);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        <Icon name="retry" />
        {wordsOf(open, { isCapped: whole.data?.is_capped ?? false, openInRange })}
      </HeldButton>
      {isAsked ? <RetryIssueDialog slug={slug} fingerprint={fingerprint} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

function wordsOf(open: number, { isCapped, openInRange }: { isCapped: boolean; openInRange: number }): string {
  if (open < 2) return "Retry";
  const all = open > openInRange ? "all " : "";
  return isCapped ? `Retry at least ${count(open)} tasks` : `Retry ${all}${count(open)} tasks`;
}

interface RetryIssueDialogProps {
  slug: string;
  fingerprint: string;
  onClose: () => void;
}

export function RetryIssueDialog({ slug, fingerprint, onClose }: RetryIssueDialogProps) {
  const read = useQuery(failedOfIssueQuery(slug, fingerprint));
  // The dialog stays while its requests are under way, though the first of them leave nothing failed.
  const [rows, setRows] = useState<typeof read.data>(undefined);
  if (rows === undefined && read.data !== undefined && read.data.length > 0) setRows(read.data);
  if (rows !== undefined) {
    return <BulkDialog slug={slug} act="retry" rows={rows} onClose={onClose} onDone={onClose} />;
  }
  return (
    <Dialog title="Retry the failed tasks" onClose={onClose}>
      {read.error ? (
        <Refusal>Its tasks could not be read. {causeOf(read.error)}</Refusal>
      ) : (
        <p role="status">{read.data ? "None of its tasks is failed any more." : "Reading which tasks are failed…"}</p>
      )}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
