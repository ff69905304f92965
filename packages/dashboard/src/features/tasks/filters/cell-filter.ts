import { fieldTerm } from "@svc/client/task-query";
import type { ListRow } from "../following/task-pages.ts";
import type { ColumnId } from "../views/columns.ts";
import { withTerm } from "./query-terms.ts";
import { priorityList, type TasksSearch } from "./tasks-search.ts";

/** A filter that shows only what is like one cell, with the words that say so. */
export interface CellFilter {
  words: string;
  patch: TasksSearch;
}

/** What a cell filters by; null where its value is no filter of the list. */
export function cellFilter(column: ColumnId, row: ListRow, search: TasksSearch): CellFilter | null {
  switch (column) {
    case "state":
      return { words: `Show only state ${row.state}`, patch: { state: row.state } };
    case "name":
      return byTerm(search, `tasks named ${row.name}`, fieldTerm("name", row.name));
    case "queue":
      return row.queue ? { words: `Show only queue ${row.queue}`, patch: { queue: row.queue } } : null;
    case "worker":
      return row.worker_name
        ? { words: `Show only worker ${row.worker_name}`, patch: { worker: row.worker_name } }
        : null;
    case "priority": {
      const chosen = priorityList([search.priority, row.priority].filter(Boolean).join(","));
      return { words: `Show priority ${chosen.join(" and ")}`, patch: { priority: chosen.join(",") } };
    }
    case "age":
      return { words: "Show only tasks up to this one", patch: { until: row.received_at } };
    case "engine":
      return byTerm(search, `engine ${row.engine}`, fieldTerm("engine", row.engine));
    case "release":
      return row.release ? byTerm(search, `release ${row.release}`, fieldTerm("release", row.release)) : null;
    case "tags": {
      const [tag] = row.tags;
      return tag === undefined ? null : byTerm(search, `tag ${tag}`, fieldTerm("tag", tag));
    }
    case "id":
      return byTerm(search, `task ${row.task_id}`, fieldTerm("id", row.task_id));
    case "error": {
      const line = row.exception?.split("\n", 1)[0]?.slice(0, maximumError) ?? "";
      return line === "" ? null : byTerm(search, `error ${line}`, fieldTerm("error", line));
    }
    case "run":
      return row.runtime_ms === null ? null : byTerm(search, "what ran as long", `runtime:>=${row.runtime_ms}ms`);
    case "wait":
      return row.wait_ms == null ? null : byTerm(search, "what waited as long", `wait:>=${row.wait_ms}ms`);
    case "try":
      return byTerm(search, `what was retried as often`, `retries:>=${row.retry_count}`);
    default:
      return null;
  }
}

const maximumError = 200;

function byTerm(search: TasksSearch, words: string, term: string): CellFilter {
  return { words: `Show only ${words}`, patch: { q: withTerm(search.q, term) } };
}

/** The text of a cell as text to find; null where the text search does not look. */
export function cellText(column: ColumnId, row: ListRow): string | null {
  if (column === "name") return row.name;
  if (column === "queue") return row.queue;
  if (column === "worker") return row.worker_name;
  return column === "id" ? row.task_id : null;
}
