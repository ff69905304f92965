import type { BulkRetryFilter, Priority, TaskFilters, TaskState } from "@svc/client";
import { fieldTerm, parseTaskQuery } from "@svc/client/task-query";
import { printable } from "../../../../ui/time/format.ts";

/** What a bulk retry is asked for, so that it means the tasks on screen and no others; or what of the list it has no word for. */
export type Carried = { filter: BulkRetryFilter; fault: null } | { filter: null; fault: string };

/** The request takes longer texts for a fault. */
const longestText = 200;
const notEnded: readonly TaskState[] = ["pending", "received", "started", "retry"];

const longestQuery = 1000;

/** The filters of the task list as those of a bulk retry. Without a state it would mean the failed ones, whatever the list shows. */
export function carriedFilter(filters: TaskFilters): Carried {
  const { worker, q, name, search, priority, queue, since, until } = filters;
  const asked = readQuery(q ?? "");
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
  const query = [asked.isPlain ? "" : q, worker && fieldTerm("worker", worker)].filter(Boolean).join(" ");
  if (query.length > longestQuery) return cannot(`a search of more than ${longestQuery} characters`);
  return {
    filter: {
      state,
      ...(asked.isPlain && asked.engine !== undefined && { engine: asked.engine }),
      ...(queue && { queue }),
      ...(name && { name }),
      ...(search && { search }),
      ...(priority && { priority: priority.split(",") as Priority[] }),
      ...(since && { since }),
      ...(until && { until }),
      ...(query !== "" && { q: query }),
    },
    fault: null,
  };
}

const cannot = (what: string): Carried => ({
  filter: null,
  fault: `A retry of all that match cannot carry ${what}: clear it`,
});

interface AskedQuery {
  engine?: string;
  state?: TaskState;
  /** It asks for nothing but one engine and one state, which a bulk retry has as filters of their own: these need no search. */
  isPlain: boolean;
}

/** What a search asks for; null of one that is not understood. */
function readQuery(q: string): AskedQuery | null {
  const { query, faults } = parseTaskQuery(q);
  if (faults.length > 0) return null;
  const asked: AskedQuery = { isPlain: true };
  for (const term of query) {
    if (!term.isNegated && term.kind === "label" && term.field === "engine" && asked.engine === undefined) {
      const [test, second] = term.tests;
      if (test?.kind === "is" && second === undefined) {
        asked.engine = test.text;
        continue;
      }
    }
    if (!term.isNegated && term.kind === "choice" && term.field === "state" && asked.state === undefined) {
      const [state, second] = term.values;
      if (state !== undefined && second === undefined) {
        asked.state = state;
        continue;
      }
    }
    asked.isPlain = false;
  }
  return asked;
}
