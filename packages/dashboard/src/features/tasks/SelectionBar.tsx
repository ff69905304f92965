import { lazy, Suspense, useState } from "react";
import { CopyButton } from "../../ui/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import { count } from "../../ui/format.ts";
import { HeldButton } from "../../ui/HeldButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useIsProjectAdmin } from "../sessions/queries.ts";
import { type Chosen, DeleteDialog } from "./DeleteDialog.tsx";
import { useFocusBack } from "./focus-back.ts";
import css from "./list.module.css";
import { dockId } from "./TaskGrid.tsx";
import type { ListRow } from "./task-pages.ts";

const BulkActs = lazy(() => import("../commands/BulkActs.tsx").then((part) => ({ default: part.BulkActs })));

/** A request names at most this many rows. */
const maximumIds = 1_000;

interface SelectionBarProps {
  slug: string;
  rows: readonly ListRow[];
  /** All that the filters show; null where nothing can be done with all of them. */
  matching: Extract<Chosen, { kind: "matching" }> | null;
  isArchived: boolean;
  onClear: () => void;
}

/** What can be done with the ticked rows, or with all that match. */
export function SelectionBar({ slug, rows, matching, isArchived, onClear }: SelectionBarProps) {
  useFocusBack();
  const isAdmin = useIsProjectAdmin(slug);
  const [isAsking, setAsking] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const isAll = isWhole && matching !== null;
  const mayDelete = isAdmin && !isArchived;
  const refusal = !isAdmin
    ? "Needs the admin role in this project"
    : isArchived
      ? "The project is archived"
      : !isAll && rows.length > maximumIds
        ? `At most ${count(maximumIds)} at a time, or all that match`
        : null;
  return (
    <section className={css.bulk} id={dockId} aria-label="Selected tasks">
      <b className="nowrap" role="status">
        {isAll ? `All ${count(matching.total)} matching selected` : `${count(rows.length)} selected`}
      </b>
      {mayDelete && matching && matching.total > rows.length ? (
        <button type="button" className={controls.lnk} onClick={() => setWhole(!isWhole)}>
          {isAll ? `Only the ${count(rows.length)} ticked` : `Select all ${count(matching.total)} matching`}
        </button>
      ) : null}
      <span className="grow" />
      {isAll ? null : <CopyButton text={rows.map((row) => row.task_id).join("\n")} label="Copy ids" />}
      <Suspense fallback={null}>
        <BulkActs slug={slug} rows={rows} isAll={isAll} onDone={onClear} />
      </Suspense>
      <HeldButton reason={refusal} onAct={() => setAsking(true)}>
        <Icon name="trash" />
        Delete
      </HeldButton>
      <button
        type="button"
        className={controls.ib}
        aria-label="Clear selection"
        title="Clear selection (Esc)"
        onClick={onClear}
      >
        <Icon name="x" />
      </button>
      {isAsking ? (
        <DeleteDialog
          slug={slug}
          chosen={isAll ? matching : { kind: "rows", rows }}
          onClose={() => setAsking(false)}
          onDone={onClear}
        />
      ) : null}
    </section>
  );
}
