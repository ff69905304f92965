import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { CopyButton } from "../../ui/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import { causeOf } from "../../ui/Feedback.tsx";
import { count } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Dialog, dialogFoot } from "../../ui/Layers.tsx";
import { useIsProjectAdmin } from "../sessions/queries.ts";
import { useFocusBack } from "./focus-back.ts";
import css from "./list.module.css";
import { dockId } from "./TaskGrid.tsx";
import { type ListRow, type LoadedList, removeRows } from "./task-pages.ts";

/** A request names at most this many rows. */
const maximumIds = 1_000;

interface SelectionBarProps {
  slug: string;
  rows: readonly ListRow[];
  isArchived: boolean;
  onClear: () => void;
}

/** What can be done with the ticked rows. */
export function SelectionBar({ slug, rows, isArchived, onClear }: SelectionBarProps) {
  useFocusBack();
  const isAdmin = useIsProjectAdmin(slug);
  const [isAsking, setAsking] = useState(false);
  const refusal = !isAdmin
    ? "Needs the admin role in this project"
    : isArchived
      ? "The project is archived"
      : rows.length > maximumIds
        ? `At most ${count(maximumIds)} at a time`
        : null;
  return (
    <section className={css.bulk} id={dockId} aria-label="Selected tasks">
      <b className="nowrap" role="status">
        {count(rows.length)} selected
      </b>
      <span className="grow" />
      <CopyButton text={rows.map((row) => row.task_id).join("\n")} label="Copy ids" />
      <button
        type="button"
        className={controls.btn}
        aria-disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => refusal === null && setAsking(true)}
      >
        <Icon name="trash" />
        Delete
      </button>
      <button
        type="button"
        className={controls.ib}
        aria-label="Clear selection"
        title="Clear selection (Esc)"
        onClick={onClear}
      >
        <Icon name="x" />
      </button>
      {isAsking ? <DeleteDialog slug={slug} rows={rows} onClose={() => setAsking(false)} onDone={onClear} /> : null}
    </section>
  );
}

interface DeleteDialogProps {
  slug: string;
  rows: readonly ListRow[];
  onClose: () => void;
  onDone: () => void;
}

function DeleteDialog({ slug, rows, onClose, onDone }: DeleteDialogProps) {
  const client = useQueryClient();
  const words = `${count(rows.length)} ${rows.length === 1 ? "task" : "tasks"}`;
  const remove = useMutation({
    mutationFn: () =>
      api.deleteTasks(
        slug,
        rows.map((row) => row.id),
      ),
    onSuccess: () => {
      const ids = rows.map((row) => row.id);
      client.setQueriesData<LoadedList>({ queryKey: ["tasks", slug] }, (old) => old && removeRows(old, ids));
      void client.invalidateQueries({ queryKey: ["task-total", slug] });
      void client.invalidateQueries({ queryKey: ["stats", slug] });
      onDone();
    },
  });
  return (
    <Dialog title={`Delete ${words}`} onClose={onClose}>
      <p>
        Their rows leave the list for everybody. Their events stay until retention takes them, and a later event of a
        deleted task makes a new row. Nothing is sent to the engine.
      </p>
      {remove.isError ? (
        <p className={controls.err} role="alert">
          Nothing was deleted. {causeOf(remove.error)}
        </p>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Keep them
        </button>
        <button
          type="button"
          className={`${controls.btn} ${controls.danger} ${controls.big}`}
          aria-disabled={remove.isPending}
          onClick={() => !remove.isPending && remove.mutate()}
        >
          Delete {words}
        </button>
      </div>
    </Dialog>
  );
}
