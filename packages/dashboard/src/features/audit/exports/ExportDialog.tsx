import { type AuditFilters, isProblem } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "../../../api/api.ts";
import { saveFile } from "../../../save-file.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { bytes, count } from "../../../ui/time/format.ts";

const formats = [
  { value: "csv", label: "CSV", title: "Comma-separated, for spreadsheets and scripts" },
  { value: "xlsx", label: "Excel", title: "A workbook" },
  { value: "json", label: "JSON", title: "An array, values as they are" },
] as const;
type Format = (typeof formats)[number]["value"];

/** Spec part 1, Audit export routes. */
const caps: Readonly<Record<Format, number>> = { csv: 50_000, xlsx: 25_000, json: 50_000 };

interface ExportDialogProps {
  slug: string;
  filters: AuditFilters;
  /** The filters in words; null when there are none. */
  words: string | null;
  onClose: () => void;
}

/** Every matching row as a file; more than a format holds is refused by the server, never cut. */
export function ExportDialog({ slug, filters, words, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<Format>("csv");
  const [readBytes, setReadBytes] = useState(0);
  const abort = useRef<AbortController | null>(null);
  const save = useMutation({
    mutationFn: async () => {
      setReadBytes(0);
      abort.current = new AbortController();
      const file = await api.exportAudit(
        slug,
        { ...filters, format },
        { signal: abort.current.signal, onBytes: setReadBytes },
      );
      const name = file.fileName ?? `svc-audit.${format}`;
      saveFile(file.content, name);
      return { name, size: file.content.size };
    },
  });
  const close = () => {
    abort.current?.abort();
    onClose();
  };
  const isOver = isProblem(save.error, "validation_error") && save.error.details.cap !== undefined;
  // What was said of one format is not true of the next.
  const choose = (next: Format) => {
    setFormat(next);
    if (!save.isPending) save.reset();
  };

  return (
    <Dialog title="Export audit rows" onClose={close}>
      <p>All audit rows{words === null ? " of the project" : ` with ${words}`}, newest first, with every field.</p>
      <div className={controls.check}>
        <Segments legend="Format" value={format} options={formats} onChange={choose} />
      </div>
      <p className="t2">At most {count(caps[format])} rows in this format. The export is an audit row of its own.</p>
      {isOver ? (
        <Refusal>
          More than {count(caps[format])} rows match. Nothing was cut, and nothing was saved: narrow the filters or the
          time range, then try again.
        </Refusal>
      ) : save.isError && !abort.current?.signal.aborted ? (
        <Refusal>Nothing was saved. {causeOf(save.error)}</Refusal>
      ) : null}
      <p role="status">
        {save.isPending ? `Reading, ${bytes(readBytes)} so far` : null}
        {save.data ? `Saved ${save.data.name}, ${bytes(save.data.size)}.` : null}
      </p>
      <DialogFoot leave={save.isPending ? "Stop" : save.data ? "Close" : "Cancel"} onLeave={close}>
        <ActButton error={save.error} isBusy={save.isPending} onAct={() => save.mutate()}>
          <Icon name="download" />
          Export rows
        </ActButton>
      </DialogFoot>
    </Dialog>
  );
}
