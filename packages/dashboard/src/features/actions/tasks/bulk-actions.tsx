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

/** What was chosen in the list when it was asked for. */
export interface ChosenTasks {
  rows: readonly ListRow[];
  /** All that match are chosen, and not only those that are ticked. `words`: the filters as one reads them out. */
  all: { filters: TaskFilters; words: string } | null;
  /** It was asked for these. */
  onMade: (rows: readonly ListRow[]) => void;
  /** It was asked for all of them. */
  onDone: () => void;
}

export const retryTasks: Action<ChosenTasks> = {
  id: "tasks.retry",
  label: retryTask.label,
  icon: retryTask.icon,
  inPalette: { label: "Retry selected tasks", also: "again" },
  needs: () => [],
  guard: ({ all }) => all && carriedFilter(all.filters).fault,
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
  guard: ({ all }) => (all === null ? null : "Tick the tasks: not all that match can be cancelled at once"),
  Dialog: ({ subject, ...rest }) => <BulkDialog {...rest} {...subject} act="cancel" />,
};
