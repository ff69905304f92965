import type { ColumnId } from "./columns.ts";
import type { ListRow } from "./task-pages.ts";
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
      return { words: `Show only tasks named ${row.name}`, patch: { name: row.name } };
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
    default:
      return null;
  }
}

/** The text of a cell as text to find; null where the text search does not look. */
export function cellText(column: ColumnId, row: ListRow): string | null {
  if (column === "name") return row.name;
  if (column === "queue") return row.queue;
  if (column === "worker") return row.worker_name;
  return column === "id" ? row.task_id : null;
}
