import type { BulkRetryFilter, Priority, TaskFilters, TaskState } from "@svc/client";
import { fieldTerm, parseTaskQuery } from "@svc/client/task-query";
import { printable } from "../../../../ui/time/format.ts";

/** The filter of a bulk retry for exactly the listed tasks, or why there is none. */
export type Carried = { filter: BulkRetryFilter; error: null } | { filter: null; error: string };

/** The service refuses longer texts. */
const longestText = 200;
const unfinished: readonly TaskState[] = ["pending", "received", "started", "retry"];

const longestQuery = 1000;

/** The filters of the task list as those of a bulk retry. A state is required: the default is `failure`, whatever the list shows. */
export function carriedFilter(filters: TaskFilters): Carried {
  const { worker, q, name, search, priority, queue, since, until } = filters;
  const parsed = readQuery(q ?? "");
  if (parsed === null || (parsed.state && filters.state && parsed.state !== filters.state)) {
    return cannot(`the search ${printable(q ?? "")}`);
  }
  if (name && name.length > longestText) return cannot(`a name of more than ${longestText} characters`);
  if (search && search.length > longestText) return cannot(`a text of more than ${longestText} characters`);
  const state = (filters.state ?? parsed.state) as TaskState | undefined;
  if (state === undefined) {
    return { filter: null, error: "To retry all matching tasks, choose a state first, such as failure" };
  }
  if (unfinished.includes(state)) return { filter: null, error: `Tasks in state ${state} have not finished yet` };
  const query = [parsed.isPlain ? "" : q, worker && fieldTerm("worker", worker)].filter(Boolean).join(" ");
  if (query.length > longestQuery) return cannot(`a search of more than ${longestQuery} characters`);
  return {
    filter: {
      state,
      ...(parsed.isPlain && parsed.engine !== undefined && { engine: parsed.engine }),
      ...(queue && { queue }),
      ...(name && { name }),
      ...(search && { search }),
      ...(priority && { priority: priority.split(",") as Priority[] }),
      ...(since && { since }),
      ...(until && { until }),
      ...(query !== "" && { q: query }),
    },
    error: null,
  };
}

const cannot = (what: string): Carried => ({
  filter: null,
  error: `A bulk retry can't use ${what}. Clear it first`,
});

interface ParsedQuery {
  engine?: string;
  state?: TaskState;
  /** It has at most one engine and one state, which a bulk retry takes as filters instead of a query. */
  isPlain: boolean;
}

/** The engine and state of a search; null if the search is invalid. */
function readQuery(q: string): ParsedQuery | null {
  const { query, faults } = parseTaskQuery(q);
  if (faults.length > 0) return null;
  const parsed: ParsedQuery = { isPlain: true };
  for (const term of query) {
    if (!term.isNegated && term.kind === "label" && term.field === "engine" && parsed.engine === undefined) {
      const [test, second] = term.tests;
      if (test?.kind === "is" && second === undefined) {
        parsed.engine = test.text;
        continue;
      }
    }
    if (!term.isNegated && term.kind === "choice" && term.field === "state" && parsed.state === undefined) {
      const [state, second] = term.values;
      if (state !== undefined && second === undefined) {
        parsed.state = state;
        continue;
      }
    }
    parsed.isPlain = false;
  }
  return parsed;
}
