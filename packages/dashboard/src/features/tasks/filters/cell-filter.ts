import { fieldTerm } from "@svc/client/task-query";
import { type ListRow, priorityList, type TasksSearch } from "../../task-data/index.ts";
import type { ColumnId } from "../views/columns.ts";
import { withTerm } from "./query-terms.ts";

/** A filter for the value of one cell, with its label. */
export interface CellFilter {
  label: string;
  patch: TasksSearch;
}

/** The filter of a cell; null if the list cannot filter by its value. */
export function cellFilter(column: ColumnId, row: ListRow, search: TasksSearch): CellFilter | null {
  switch (column) {
    case "state":
      return { label: `Show only state ${row.state}`, patch: { state: row.state } };
    case "name":
      return byTerm(search, `tasks named ${row.name}`, fieldTerm("name", row.name));
    case "queue":
      return row.queue ? { label: `Show only queue ${row.queue}`, patch: { queue: row.queue } } : null;
    case "worker":
      return row.worker_name
        ? { label: `Show only worker ${row.worker_name}`, patch: { worker: row.worker_name } }
        : null;
    case "priority": {
      const chosen = priorityList([search.priority, row.priority].filter(Boolean).join(","));
      return { label: `Show priority ${chosen.join(" and ")}`, patch: { priority: chosen.join(",") } };
    }
    case "age":
      return { label: "Show only this task and older ones", patch: { until: row.received_at } };
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
      return row.runtime_ms === null
        ? null
        : byTerm(search, "tasks that ran at least this long", `runtime:>=${row.runtime_ms}ms`);
    case "wait":
      return row.wait_ms == null
        ? null
        : byTerm(search, "tasks that waited at least this long", `wait:>=${row.wait_ms}ms`);
    case "try":
      return byTerm(search, "tasks retried at least this often", `retries:>=${row.retry_count}`);
    default:
      return null;
  }
}

const maximumError = 200;

function byTerm(search: TasksSearch, what: string, term: string): CellFilter {
  return { label: `Show only ${what}`, patch: { q: withTerm(search.q, term) } };
}

/** The text of a cell for the text search; null for fields that it does not cover. */
export function cellText(column: ColumnId, row: ListRow): string | null {
  if (column === "name") return row.name;
  if (column === "queue") return row.queue;
  if (column === "worker") return row.worker_name;
  return column === "id" ? row.task_id : null;
}
