import { isProblem, plural, type TaskExportQuery, type TaskFilters } from "@svc/client";
import { type ExportField, exportFields } from "@svc/client/task-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Check } from "../../../ui/buttons/Checkbox.tsx";
import controls from "../../../ui/controls.module.css";
import { SaveDialog } from "../../../ui/forms/SaveDialog.tsx";
import { count } from "../../../ui/time/format.ts";
import { minuteText, useZone } from "../../../ui/time/instants.ts";
import css from "../list.module.css";
import type { ColumnId } from "../views/columns.ts";
import { type Cut, nearestCut } from "./export-cut.ts";
import { fieldsOfColumns } from "./export-fields.ts";

type Format = TaskExportQuery["format"];
const formats = [
  { value: "csv", label: "CSV", title: "Comma-separated, for spreadsheets and scripts" },
  { value: "xlsx", label: "Excel", title: "A workbook, up to 25,000 rows" },
  { value: "json", label: "JSON", title: "An array with unchanged values" },
] as const;

interface ExportDialogProps {
  slug: string;
  filters: TaskFilters;
  /** The filters as text; null if there are none. */
  filterText: string | null;
  columns: readonly ColumnId[];
  /** The number of matching tasks; null if unknown. */
  total: number | null;
  onClose: () => void;
}

/** Saves all matching tasks as a file. The list's columns are selected at first, in the same order. */
export function ExportDialog({ slug, filters, filterText, columns, total, onClose }: ExportDialogProps) {
  const [listed] = useState(() => fieldsOfColumns(columns));
  const [fields, setFields] = useState<readonly ExportField[]>(listed);
  const choices = [...listed, ...exportFields.filter((field) => !listed.includes(field))];
  const toggle = (field: ExportField) => setFields(choices.filter((one) => fields.includes(one) !== (one === field)));

  return (
    <SaveDialog
      title="Export tasks"
      formats={formats}
      name="svc-tasks"
      read={({ format, since }, reading) => {
        return api.exportTasks(
          slug,
          { ...filters, ...(since && { since }), format, fields: fields.join(",") },
          reading,
        );
      }}
      intro={
        <>
          {total === null ? "All tasks" : <b>{plural(total, "task")}</b>}
          {filterText === null ? " in the project" : ` with ${filterText}`}, newest first.
          {total === null ? " The total is unknown." : null}
        </>
      }
      refused={(error, format, onCut) => {
        if (!isProblem(error, "validation_error") || !Number.isFinite(Number(error.details.cap))) return null;
        const { cap, setting } = error.details;
        return <OverCap {...{ slug, filters, format, onCut }} cap={Number(cap)} setting={String(setting || "")} />;
      }}
      reason={fields.length === 0 ? "Select a column" : null}
      act={total === null ? "Export tasks" : `Export ${plural(total, "task")}`}
      onClose={onClose}
    >
      {() => (
        <fieldset className={css.fields}>
          <legend>Columns</legend>
          <span className={css.fieldActs}>
            <Button variant="link" onClick={() => setFields(choices)}>
              Select all
            </Button>
            <Button variant="link" onClick={() => setFields(listed)}>
              Select those in the list
            </Button>
          </span>
          {choices.map((field) => (
            <Check key={field} checked={fields.includes(field)} onChange={() => toggle(field)}>
              {field}
            </Check>
          ))}
        </fieldset>
      )}
    </SaveDialog>
  );
}

interface OverCapProps {
  slug: string;
  filters: TaskFilters;
  cap: number;
  format: Format;
  setting: string;
  onCut: (since: string) => void;
}

/** Reports the row limit, and offers the newest part that fits. */
function OverCap({ slug, filters, cap, format, setting, onCut }: OverCapProps) {
  const { zone, label } = useZone();
  const cut = useQuery({
    queryKey: ["export-cut", slug, filters, cap],
    queryFn: ({ signal }) => cutOf(slug, filters, cap, signal),
    staleTime: 60_000,
  });
  const since = cut.data ? new Date(cut.data.sinceMs).toISOString() : null;
  return (
    <div role="alert" className={controls.rows}>
      <p className={controls.err}>
        Exports as {format} are limited to {plural(cap, "row")}. Nothing was saved.
        {setting === "" ? "" : ` The limit is set by ${setting}.`}
      </p>
      {cut.data && since ? (
        <Button onClick={() => onCut(since)}>
          Export the newest {count(cut.data.rows)}, since {minuteText(cut.data.sinceMs, zone)} {label}
        </Button>
      ) : (
        <p className="t2">
          {cut.isPending
            ? "Finding the longest time range that fits…"
            : "Narrow the filters or the time range, then try again."}
        </p>
      )}
    </div>
  );
}

async function cutOf(slug: string, filters: TaskFilters, cap: number, signal: AbortSignal): Promise<Cut | null> {
  const countSince = async (sinceMs: number) => {
    const query = { ...filters, since: new Date(sinceMs).toISOString(), limit: 1, include_total: true };
    const { total_count } = await api.listTasks(slug, query, { signal });
    return total_count ?? Number.POSITIVE_INFINITY;
  };
  const untilMs = filters.until ? Date.parse(filters.until) : Date.now();
  return nearestCut({ countSince, untilMs, sinceMs: filters.since ? Date.parse(filters.since) : null, cap });
}
