import type { BulkDeleteFilters, Priority, TaskFilters } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { Dialog, dialogFoot } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { count } from "../../../ui/time/format.ts";
import { removeRows } from "../following/row-changes.ts";
import type { ListRow, LoadedList } from "../following/task-pages.ts";

/** A request with filters deletes at most this many rows. */
const maximumMatching = 10_000;

/** What is deleted: the ticked rows, or all that the filters show. */
type Chosen =
  | { kind: "rows"; rows: readonly ListRow[] }
  | { kind: "matching"; filters: TaskFilters; words: string; total: number };

interface DeleteDialogProps {
  slug: string;
  chosen: Chosen;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ slug, chosen, onClose, onDone }: DeleteDialogProps) {
  const client = useQueryClient();
  const amount = chosen.kind === "rows" ? chosen.rows.length : Math.min(chosen.total, maximumMatching);
  const words = `${count(amount)} ${amount === 1 ? "task" : "tasks"}`;
  const remove = useMutation({
    mutationFn: () =>
      chosen.kind === "rows"
        ? api.deleteTasks(
            slug,
            chosen.rows.map((row) => row.id),
          )
        : api.deleteMatchingTasks(slug, deleteFilters(chosen.filters)),
    onSuccess: () => {
      if (chosen.kind === "rows") {
        const ids = chosen.rows.map((row) => row.id);
        client.setQueriesData<LoadedList>({ queryKey: ["tasks", slug] }, (old) => old && removeRows(old, ids));
      } else void client.resetQueries({ queryKey: ["tasks", slug] });
      for (const subject of ["task-total", "stats", "facet", "task-histogram"]) {
        void client.invalidateQueries({ queryKey: [subject, slug] });
      }
      onDone();
    },
  });
  return (
    <Dialog title={`Delete ${words}`} onClose={onClose}>
      {chosen.kind === "matching" ? (
        <p>
          All tasks with {chosen.words}
          {chosen.total > maximumMatching
            ? `: ${count(chosen.total)}. One go deletes ${count(maximumMatching)}; repeat it for the others.`
            : "."}
        </p>
      ) : null}
      <p>
        Their rows leave the list for everybody. Their events stay until retention takes them, and a later event of a
        deleted task makes a new row. Nothing is sent to the engine.
      </p>
      {remove.isError ? <Refusal>Nothing was deleted. {causeOf(remove.error)}</Refusal> : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={onClose}>
          Keep them
        </button>
        <ActButton isDanger error={remove.error} isBusy={remove.isPending} onAct={() => remove.mutate()}>
          Delete {words}
        </ActButton>
      </div>
    </Dialog>
  );
}

function deleteFilters({ state, priority, search, name, queue, worker, since, until }: TaskFilters): BulkDeleteFilters {
  return {
    ...(state && { filter_state: state }),
    ...(priority && { filter_priority: priority.split(",") as Priority[] }),
    ...(search && { filter_search: search }),
    ...(name && { filter_name: name }),
    ...(queue && { filter_queue: queue }),
    ...(worker && { filter_worker: worker }),
    ...(since && { filter_since: since }),
    ...(until && { filter_until: until }),
  };
}
