import type { BulkRetryFilter, Priority, TaskFilters, TaskState } from "@svc/client";
import { parseTaskQuery } from "@svc/client/task-query";
import { printable } from "../../../../ui/time/format.ts";

/** What a bulk retry is asked for, so that it means the tasks on screen and no others; or what of the list it has no word for. */
export type Carried = { filter: BulkRetryFilter; fault: null } | { filter: null; fault: string };

/** The request takes longer texts for a fault. */
const longestText = 200;
const notEnded: readonly TaskState[] = ["pending", "received", "started", "retry"];

/** The filters of the task list as those of a bulk retry. Without a state it would mean the failed ones, whatever the list shows. */
export function carriedFilter(filters: TaskFilters): Carried {
  const { worker, q, name, search, priority, queue, since, until } = filters;
  if (worker) return cannot(`the worker ${printable(worker)}`);
  const asked = q === undefined ? {} : readQuery(q);
  if (asked === null || (asked.state && filters.state && asked.state !== filters.state)) {
    return cannot(`the search ${printable(q ?? "")}`);
  }
  if (name && name.length > longestText) return cannot(`a name of more than ${longestText} characters`);
  if (search && search.length > longestText) return cannot(`a text of more than ${longestText} characters`);
  const state = (filters.state ?? asked.state) as TaskState | undefined;
  if (state === undefined) {
    return { filter: null, fault: "To retry all that match, choose a state first, such as failure" };
  }
  if (notEnded.includes(state)) return { filter: null, fault: `Tasks in state ${state} have not ended yet` };
  return {
    filter: {
      state,
      ...(asked.engine !== undefined && { engine: asked.engine }),
      ...(queue && { queue }),
      ...(name && { name }),
      ...(search && { search }),
      ...(priority && { priority: priority.split(",") as Priority[] }),
      ...(since && { since }),
      ...(until && { until }),
    },
    fault: null,
  };
}

const cannot = (what: string): Carried => ({
  filter: null,
  fault: `A retry of all that match cannot carry ${what}: clear it`,
});

/** One engine and one state of a search, each at most once; null when it asks for anything else. */
function readQuery(q: string): { engine?: string; state?: TaskState } | null {
  const { query, faults } = parseTaskQuery(q);
  if (faults.length > 0) return null;
  const asked: { engine?: string; state?: TaskState } = {};
  for (const term of query) {
    if (term.isNegated) return null;
    if (term.kind === "label" && term.field === "engine" && asked.engine === undefined) {
      const [test, ...others] = term.tests;
      if (test?.kind !== "is" || others.length > 0) return null;
      asked.engine = test.text;
    } else if (term.kind === "choice" && term.field === "state" && asked.state === undefined) {
      const [state, ...others] = term.values;
      if (state === undefined || others.length > 0) return null;
      asked.state = state;
    } else return null;
  }
  return asked;
}
