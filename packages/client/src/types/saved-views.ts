import type { Priority, TaskState } from "./tasks.ts";

/** What a view filters by; `q` is a text of the query language. Members that do not restrict are absent. */
export interface SavedViewFilters {
  state?: TaskState;
  priority?: Priority[];
  search?: string;
  queue?: string;
  name?: string;
  worker?: string;
  engine?: string;
  q?: string;
}

export interface SavedViewBody {
  /** 1 to 80 characters once trimmed, each name once per user and project. */
  name: string;
  filters: SavedViewFilters;
}

/** A view of the caller's own. */
export interface SavedView extends SavedViewBody {
  id: string;
  created_at: string;
  updated_at: string;
}
