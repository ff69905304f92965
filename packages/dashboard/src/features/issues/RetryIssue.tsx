import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import controls from "../../ui/controls.module.css";
import { causeOf } from "../../ui/Feedback.tsx";
import { count } from "../../ui/format.ts";
import { HeldButton } from "../../ui/HeldButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Dialog, dialogFoot } from "../../ui/Layers.tsx";
import { Refusal } from "../../ui/Refusal.tsx";
import { BulkDialog } from "../commands/BulkDialog.tsx";
import { useMayNot } from "../commands/use-act.ts";
import { failedOfIssueQuery, mostRetried } from "./issue-queries.ts";

interface RetryIssueProps {
  slug: string;
  fingerprint: string;
  /** Its tasks that are failed now. */
  open: number;
}

/** Retries the failed tasks of an issue, the newest of many. */
export function RetryIssue({ slug, fingerprint, open }: RetryIssueProps) {
  const [isAsked, setAsked] = useState(false);
  const reason = useMayNot(slug) ?? (open === 0 ? "None of its tasks is failed now" : null);
  const words =
    open > mostRetried ? `Retry the newest ${count(mostRetried)}` : open > 1 ? `Retry ${count(open)} tasks` : "Retry";
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        <Icon name="retry" />
        {words}
      </HeldButton>
      {isAsked ? <RetryIssueDialog slug={slug} fingerprint={fingerprint} onClose={() => setAsked(false)} /> : null}
    </>
  );
}

interface RetryIssueDialogProps {
  slug: string;
  fingerprint: string;
  onClose: () => void;
}

export function RetryIssueDialog({ slug, fingerprint, onClose }: RetryIssueDialogProps) {
  const read = useQuery(failedOfIssueQuery(slug, fingerprint));
  if (read.data !== undefined && read.data.items.length > 0) {
    return <BulkDialog slug={slug} act="retry" rows={read.data.items} onClose={onClose} onDone={onClose} />;
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
