import { lazy } from "react";
import { count } from "../../../ui/time/format.ts";
import type { Action, ChosenTasks } from "../../actions/index.ts";

/** A request names at most this many rows. */
const maximumIds = 1_000;

/** Deletes tasks for all users. "All matching" works only with filters that the delete request supports. */
export const deleteTasks: Action<ChosenTasks> = {
  id: "tasks.delete",
  label: "Delete",
  icon: "trash",
  inPalette: { label: "Delete selected tasks", also: "remove" },
  role: "admin",
  needs: () => [],
  guard: ({ rows, all }) => {
    if (all) return all.filters.q ? "Select tasks one by one: search results can't be deleted all at once" : null;
    return rows.length > maximumIds ? `Select at most ${count(maximumIds)} tasks, or all matching` : null;
  },
  Dialog: lazy(() => import("./DeleteDialog.tsx").then((part) => ({ default: part.DeleteDialog }))),
};
