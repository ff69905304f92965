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

const faultId = "all-matching-fault";
const SelectionActs = lazy(() =>
  import("../matching/SelectionActs.tsx").then((part) => ({ default: part.SelectionActs })),
);

interface SelectionBarProps {
  slug: string;
  rows: readonly ListRow[];
  filters: TaskFilters;
  /** The filters as one reads them out; null without any. */
  words: string | null;
  /** All that the filters show, where it is known. */
  total: number | null;
  onClear: () => void;
  onDrop: (rows: readonly ListRow[]) => void;
}

/** What can be done with the ticked rows, or with all that match. */
export function SelectionBar({ slug, rows, filters, words, total, onClear, onDrop }: SelectionBarProps) {
  useFocusBack();
  const mayAct = useMayNot(slug) === null;
  const [isWhole, setWhole] = useState(false);
  const matching = { rows, all: { filters, words: words ?? "" }, onMade: onDrop, onDone: onClear };
  const retryFault = retryTasks.guard(matching);
  // The list itself does not count what a search finds.
  const isCounted = mayAct && filters.q !== undefined && retryFault === null;
  const counted = useQuery({ ...taskTotalQuery(slug, filters), enabled: isCounted });
  const matched = total ?? (isCounted ? (counted.data ?? null) : null);
  // Never without any filter.
  const isDeletable = useWhyNot(slug, deleteTasks, matching) === null && words !== null;
  const fault = isDeletable ? null : retryFault;
  // A search that cannot be counted in time is offered without a number.
  const isUncounted = isCounted && counted.isSuccess && matched === null;
  const isOffered = mayAct && (matched === null ? fault !== null || isUncounted : matched > rows.length);
  const isAll = isWhole && isOffered && fault === null;
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
            disabledReason={fault}
            aria-describedby={fault === null ? undefined : faultId}
            onClick={() => setWhole(!isWhole)}
          >
            {isAll ? `Only the ${count(rows.length)} ticked` : `Select all ${many}matching`}
          </Button>
        ) : null}
        {isOffered && fault !== null ? (
          <span className="lg t2 cut" id={faultId} title={fault}>
            {fault}
          </span>
        ) : null}
        <span className="grow" />
        {isAll ? null : <CopyButton text={rows.map((row) => row.task_id).join("\n")} label="Copy ids" />}
        <Suspense fallback={null}>
          <SelectionActs slug={slug} subject={isAll ? matching : { ...matching, all: null }} />
        </Suspense>
        <Button variant="icon" icon="x" aria-label="Clear selection" title="Clear selection (Esc)" onClick={onClear} />
      </div>
      {isOffered && fault !== null ? <p className={`sm flex t2 ${css.bulk}`}>{fault}</p> : null}
    </section>
  );
}
