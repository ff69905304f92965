import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Refusal } from "../../ui/panels/Refusal.tsx";
import { BulkDialog } from "../actions/index.ts";
import { failedOfIssueQuery } from "./issue-queries.ts";

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
    return <BulkDialog slug={slug} act="retry" rows={rows} onClose={onClose} />;
  }
  return (
    <Dialog title="Retry the failed tasks" onClose={onClose}>
      {read.error ? (
        <Refusal>The tasks could not be read. {causeOf(read.error)}</Refusal>
      ) : (
        <p role="status">{read.data ? "None of its tasks is failed any more." : "Reading which tasks are failed…"}</p>
      )}
      <DialogFoot leave="Close" onLeave={onClose}></DialogFoot>
    </Dialog>
  );
}
