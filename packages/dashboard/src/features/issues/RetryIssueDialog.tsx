import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { printable } from "../../ui/time/format.ts";
import { BulkDialog } from "../actions/index.ts";
import { titleOf } from "./issue-labels.ts";
import { failedOfIssueQuery, issueQuery } from "./issue-queries.ts";

interface RetryIssueDialogProps {
  slug: string;
  fingerprint: string;
  onClose: () => void;
}

export function RetryIssueDialog({ slug, fingerprint, onClose }: RetryIssueDialogProps) {
  const read = useQuery(failedOfIssueQuery(slug, fingerprint));
  const issue = useQuery(issueQuery(slug, fingerprint, {})).data;
  // Keeps the first result: once the first requests run, the list of failed tasks may become empty.
  const [rows, setRows] = useState<typeof read.data>(undefined);
  if (rows === undefined && read.data !== undefined && read.data.length > 0) setRows(read.data);
  if (rows !== undefined) {
    const name = issue ? `“${printable(titleOf(issue).type)}”` : fingerprint;
    return (
      <BulkDialog slug={slug} act="retry" what={`Failed tasks of the issue ${name}.`} rows={rows} onClose={onClose} />
    );
  }
  return (
    <Dialog title="Retry failed tasks" onClose={onClose}>
      {read.error ? (
        <InlineAlert>Couldn't load the failed tasks. {causeOf(read.error)}</InlineAlert>
      ) : (
        <p role="status">{read.data ? "No failed tasks to retry." : "Loading the failed tasks…"}</p>
      )}
      <DialogFoot leave={read.isPending ? "Cancel" : "Close"} onLeave={onClose} />
    </Dialog>
  );
}
