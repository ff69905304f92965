import type { TaskFilters } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { count } from "../../../ui/time/format.ts";
import { retryTasks, useWhyNot } from "../../actions/index.ts";
import { useMayNot } from "../../projects/index.ts";
import { type ListRow, taskTotalQuery } from "../../task-data/index.ts";
import { useFocusBack } from "../focus-back.ts";
import css from "../list.module.css";
import { deleteTasks } from "../matching/delete-tasks-action.tsx";
import { dockId } from "./TaskGrid.tsx";

const reasonId = "all-matching-reason";
const SelectionActs = lazy(() =>
  import("../matching/SelectionActs.tsx").then((part) => ({ default: part.SelectionActs })),
);

interface SelectionBarProps {
  slug: string;
  rows: readonly ListRow[];
  filters: TaskFilters;
  /** The filters as text; null if there are none. */
  filterText: string | null;
  /** The number of matching tasks; null if unknown. */
  total: number | null;
  onClear: () => void;
  onDrop: (rows: readonly ListRow[]) => void;
}

/** Actions on the selected rows, or on all matching tasks. */
export function SelectionBar({ slug, rows, filters, filterText, total, onClear, onDrop }: SelectionBarProps) {
  useFocusBack();
  const mayAct = useMayNot(slug) === null;
  const [isWhole, setWhole] = useState(false);
  const matching = { rows, all: { filters, filterText: filterText ?? "" }, onMade: onDrop, onDone: onClear };
  const retryReason = retryTasks.guard(matching);
  // The list does not count search results itself.
  const isCounted = mayAct && filters.q !== undefined && retryReason === null;
  const counted = useQuery({ ...taskTotalQuery(slug, filters), enabled: isCounted });
  const matched = total ?? (isCounted ? (counted.data ?? null) : null);
  // Deleting all requires at least one filter.
  const isDeletable = useWhyNot(slug, deleteTasks, matching) === null && filterText !== null;
  const reason = isDeletable ? null : retryReason;
  // A search that takes too long to count is offered without a number.
  const isUncounted = isCounted && counted.isSuccess && matched === null;
  const isOffered = mayAct && (matched === null ? reason !== null || isUncounted : matched > rows.length);
  const isAll = isWhole && isOffered && reason === null;
  const many = matched === null ? "" : `${count(matched)} `;
  return (
    <section id={dockId} aria-label="Selected tasks">
      <div className={css.bulk}>
        <b className="nowrap" role="status">
          {isAll ? `All ${many}matching selected` : `${count(rows.length)} selected`}
        </b>
        {isOffered ? (
          <Button
            variant="link"
            disabledReason={reason}
            aria-describedby={reason === null ? undefined : reasonId}
            onClick={() => setWhole(!isWhole)}
          >
            {isAll ? `Only the ${count(rows.length)} selected` : `Select all ${many}matching`}
          </Button>
        ) : null}
        {isOffered && reason !== null ? (
          <span className="lg t2 cut" id={reasonId} title={reason}>
            {reason}
          </span>
        ) : null}
        <span className="grow" />
        {isAll ? null : <CopyButton text={rows.map((row) => row.task_id).join("\n")} label="Copy ids" />}
        <Suspense fallback={null}>
          <SelectionActs slug={slug} subject={isAll ? matching : { ...matching, all: null }} />
        </Suspense>
        <Button variant="icon" icon="x" aria-label="Clear selection" title="Clear selection (Esc)" onClick={onClear} />
      </div>
      {isOffered && reason !== null ? <p className={`sm flex t2 ${css.bulk}`}>{reason}</p> : null}
    </section>
  );
}
