import type { TaskFilters } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { count } from "../../../ui/time/format.ts";
import { carriedFilter } from "../../actions/index.ts";
import { roleIn, useMe } from "../../sessions/index.ts";
import { type ListRow, taskTotalQuery } from "../../task-data/index.ts";
import { useFocusBack } from "../focus-back.ts";
import css from "../list.module.css";
import { DeleteDialog } from "../matching/DeleteDialog.tsx";
import { dockId } from "./TaskGrid.tsx";

const BulkActs = lazy(() => import("../../actions/tasks/BulkActs.tsx").then((part) => ({ default: part.BulkActs })));

const faultId = "all-matching-fault";
/** A request names at most this many rows. */
const maximumIds = 1_000;

interface SelectionBarProps {
  slug: string;
  rows: readonly ListRow[];
  filters: TaskFilters;
  /** The filters as one reads them out; null without any. */
  words: string | null;
  /** All that the filters show, where it is known. */
  total: number | null;
  isArchived: boolean;
  onClear: () => void;
  onDrop: (rows: readonly ListRow[]) => void;
}

/** What can be done with the ticked rows, or with all that match. */
export function SelectionBar({ slug, rows, filters, words, total, isArchived, onClear, onDrop }: SelectionBarProps) {
  useFocusBack();
  const role = roleIn(useMe(), slug);
  const isAdmin = role === "admin";
  const mayAct = (isAdmin || role === "operator") && !isArchived;
  const [isAsking, setAsking] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const carried = carriedFilter(filters);
  // The list itself does not count what a search finds.
  const isCounted = mayAct && filters.q !== undefined && carried.fault === null;
  const counted = useQuery({ ...taskTotalQuery(slug, filters), enabled: isCounted });
  const matched = total ?? (isCounted ? (counted.data ?? null) : null);
  // All that match can be deleted only by filters that the request knows, and never without any.
  const isDeletable = isAdmin && words !== null && filters.q === undefined;
  const fault = isDeletable ? null : carried.fault;
  const isOffered = mayAct && (matched === null ? fault !== null : matched > rows.length);
  const all = isWhole && isOffered && fault === null && matched !== null && words !== null ? { words, matched } : null;
  const refusal = !isAdmin
    ? "Needs the admin role in this project"
    : isArchived
      ? "The project is archived"
      : all !== null && !isDeletable
        ? "Tick the tasks: what a search finds cannot be deleted at once"
        : all === null && rows.length > maximumIds
          ? `At most ${count(maximumIds)} at a time, or all that match`
          : null;
  return (
    <section id={dockId} aria-label="Selected tasks">
      <div className={css.bulk}>
        <b className="nowrap" role="status">
          {all ? `All ${count(all.matched)} matching selected` : `${count(rows.length)} selected`}
        </b>
        {isOffered ? (
          <Button
            variant="link"
            disabledReason={fault}
            aria-describedby={fault === null ? undefined : faultId}
            onClick={() => setWhole(!isWhole)}
          >
            {all
              ? `Only the ${count(rows.length)} ticked`
              : `Select all ${matched === null ? "" : `${count(matched)} `}matching`}
          </Button>
        ) : null}
        {isOffered && fault !== null ? (
          <span className="lg t2 cut" id={faultId} title={fault}>
            {fault}
          </span>
        ) : null}
        <span className="grow" />
        {all ? null : <CopyButton text={rows.map((row) => row.task_id).join("\n")} label="Copy ids" />}
        <Suspense fallback={null}>
          <BulkActs
            slug={slug}
            rows={rows}
            all={all && { filters, words: all.words, carried }}
            onDone={onClear}
            onDrop={onDrop}
          />
        </Suspense>
        <Button disabledReason={refusal} onClick={() => setAsking(true)} icon="trash">
          Delete
        </Button>
        <Button variant="icon" icon="x" aria-label="Clear selection" title="Clear selection (Esc)" onClick={onClear} />
      </div>
      {isOffered && fault !== null ? <p className={`sm flex t2 ${css.bulk}`}>{fault}</p> : null}
      {isAsking ? (
        <DeleteDialog
          slug={slug}
          chosen={all ? { kind: "matching", filters, words: all.words, total: all.matched } : { kind: "rows", rows }}
          onClose={() => setAsking(false)}
          onDone={onClear}
        />
      ) : null}
    </section>
  );
}
