import type { TaskFilters } from "@svc/client";
import { lazy } from "react";
import type { ListRow } from "../../task-data/index.ts";
import { carriedFilter } from "../bulk-retries/creating/carried-filter.ts";
import type { Action } from "../registry/action.ts";
import { cancelTask, retryTask } from "./task-actions.tsx";

const BulkDialog = lazy(() => import("./BulkDialog.tsx").then((part) => ({ default: part.BulkDialog })));
const BulkRetryDialog = lazy(() =>
  import("../bulk-retries/creating/BulkRetryDialog.tsx").then((part) => ({ default: part.BulkRetryDialog })),
);

/** The tasks chosen in the list when the dialog opens. */
export interface ChosenTasks {
  rows: readonly ListRow[];
  /** Set if all matching tasks are chosen, not only the selected rows. `filterText`: the filters as text. */
  all: { filters: TaskFilters; filterText: string } | null;
  /** Called for the rows of each request that was made. */
  onMade: (rows: readonly ListRow[]) => void;
  /** Called once all requests are made. */
  onDone: () => void;
}

export const retryTasks: Action<ChosenTasks> = {
  id: "tasks.retry",
  label: retryTask.label,
  icon: retryTask.icon,
  inPalette: { label: "Retry selected tasks", also: "again" },
  needs: () => [],
  guard: ({ all }) => all && carriedFilter(all.filters).error,
  Dialog: ({ subject, ...rest }) => {
    const { all, onDone } = subject;
    const filter = all && carriedFilter(all.filters).filter;
    if (!all || !filter) return <BulkDialog {...rest} {...subject} act="retry" />;
    return <BulkRetryDialog {...rest} {...all} filter={filter} onDone={onDone} />;
  },
};

export const cancelTasks: Action<ChosenTasks> = {
  id: "tasks.cancel",
  label: cancelTask.label,
  icon: cancelTask.icon,
  inPalette: { label: "Cancel selected tasks", also: "stop" },
  needs: () => [],
  guard: ({ all }) => (all === null ? null : "Select individual tasks: all matches can't be cancelled at once"),
  Dialog: ({ subject, ...rest }) => <BulkDialog {...rest} {...subject} act="cancel" />,
};
