import { lazy } from "react";
import { count } from "../../../ui/time/format.ts";
import type { Action, ChosenTasks } from "../../actions/index.ts";

/** A request names at most this many rows. */
const maximumIds = 1_000;

/** Takes tasks out of the list for everybody. All that match only by filters that the request knows. */
export const deleteTasks: Action<ChosenTasks> = {
  id: "tasks.delete",
  label: "Delete",
  icon: "trash",
  inPalette: { label: "Delete selected tasks", also: "remove" },
  role: "admin",
  needs: () => [],
  guard: ({ rows, all }) => {
    if (all) return all.filters.q ? "Tick the tasks: what a search finds cannot be deleted at once" : null;
    return rows.length > maximumIds ? `At most ${count(maximumIds)} at a time, or all that match` : null;
  },
  Dialog: lazy(() => import("./DeleteDialog.tsx").then((part) => ({ default: part.DeleteDialog }))),
};
