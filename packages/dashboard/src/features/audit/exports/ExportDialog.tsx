import { type AuditFilters, isProblem } from "@svc/client";
import { api } from "../../../api/api.ts";
import { SaveDialog } from "../../../ui/forms/SaveDialog.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { count } from "../../../ui/time/format.ts";

const formats = [
  { value: "csv", label: "CSV", title: "Comma-separated, for spreadsheets and scripts" },
  { value: "xlsx", label: "Excel", title: "A workbook" },
  { value: "json", label: "JSON", title: "An array with unchanged values" },
] as const;
type Format = (typeof formats)[number]["value"];

/** The export limits of the service. */
const caps: Readonly<Record<Format, number>> = { csv: 50_000, xlsx: 25_000, json: 50_000 };

interface ExportDialogProps {
  slug: string;
  filters: AuditFilters;
  /** The filters as text; null when there are none. */
  filterText: string | null;
  onClose: () => void;
}

/** Exports every matching entry. The server refuses more entries than the cap instead of truncating. */
export function ExportDialog({ slug, filters, filterText, onClose }: ExportDialogProps) {
  return (
    <SaveDialog
      title="Export audit entries"
      formats={formats}
      name="svc-audit"
      read={({ format }, reading) => api.exportAudit(slug, { ...filters, format }, reading)}
      intro={`All audit entries${filterText === null ? " in the project" : ` with ${filterText}`}, newest first, with every field.`}
      refused={(error, format) =>
        isProblem(error, "validation_error") && error.details.cap !== undefined ? (
          <InlineAlert>
            More than {count(caps[format])} entries match, so nothing was exported. Narrow the filters or the time
            range, then try again.
          </InlineAlert>
        ) : null
      }
      act="Export audit entries"
      onClose={onClose}
    >
      {(format) => (
        <p className="t2">Maximum {count(caps[format])} entries in this format. The export itself is audited.</p>
      )}
    </SaveDialog>
  );
}
