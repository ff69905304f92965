import { type BulkDeleteFilters, type Priority, plural, type TaskFilters } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { count } from "../../../ui/time/format.ts";
import type { ChosenTasks, DialogProps } from "../../actions/index.ts";
import { ProjectTag } from "../../projects/index.ts";
import { type LoadedList, taskTotalQuery } from "../../task-data/index.ts";
import { removeRows } from "../following/row-changes.ts";

/** Maximum number of rows that one request with filters deletes. */
const maximumMatching = 10_000;

export function DeleteDialog({ slug, subject: { rows, all, onDone }, onClose }: DialogProps<ChosenTasks>) {
  const client = useQueryClient();
  const counted = useQuery({ ...taskTotalQuery(slug, all?.filters ?? {}), enabled: all !== null });
  const total = counted.data ?? 0;
  const amount = all ? Math.min(total, maximumMatching) : rows.length;
  const tasks = plural(amount, "task");
  const ids = rows.map((row) => row.id);
  const done = () => {
    if (all) void client.resetQueries({ queryKey: ["tasks", slug] });
    else client.setQueriesData<LoadedList>({ queryKey: ["tasks", slug] }, (old) => old && removeRows(old, ids));
    for (const subject of ["task-total", "stats", "facet", "task-histogram"]) {
      void client.invalidateQueries({ queryKey: [subject, slug] });
    }
    onDone();
  };
  return (
    <FormDialog
      title={`Delete ${tasks}`}
      act={`Delete ${tasks}`}
      place={<ProjectTag />}
      isDanger
      send={() => (all ? api.deleteMatchingTasks(slug, deleteFilters(all.filters)) : api.deleteTasks(slug, ids))}
      onDone={done}
      undone="Nothing was deleted."
      onClose={onClose}
    >
      {all ? (
        <p>
          All tasks with {all.filterText}
          {total > maximumMatching
            ? `: ${count(total)}. Each request deletes up to ${count(maximumMatching)}; repeat it for the rest.`
            : "."}
        </p>
      ) : null}
      <p>
        Removes the tasks for all users. Their events are kept until retention removes them, and a new event of a
        deleted task adds it again. Nothing is sent to the engine.
      </p>
    </FormDialog>
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
