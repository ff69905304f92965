import type { SavedView } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { priorityList, type TasksSearch } from "./tasks-search.ts";

export const savedViewsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["saved-views", slug],
    queryFn: ({ signal }) => api.listSavedViews(slug, { signal }),
    staleTime: 60_000,
  });

/** The URL parameters of the list that shows a saved view. */
export function viewSearch({ id, filters }: SavedView): TasksSearch {
  const { state, priority, search, queue, name, worker, engine, q } = filters;
  const terms = [q, engine && fieldTerm("engine", engine)].filter(Boolean).join(" ");
  return {
    ...(state && { state }),
    ...(priority && priority.length > 0 && { priority: priorityList(priority.join(",")).join(",") }),
    ...(search && { search }),
    ...(queue && { queue }),
    ...(name && { name }),
    ...(worker && { worker }),
    ...(terms && { q: terms }),
    view: id,
  };
}
