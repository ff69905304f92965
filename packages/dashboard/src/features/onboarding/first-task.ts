import type { Task } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

/** The newest task of an engine, which is the first one until there are more. */
export const firstTaskQuery = (slug: string, engine: string) =>
  queryOptions({
    queryKey: ["first-task", slug, engine],
    queryFn: async ({ signal }) => {
      const { items } = await api.listTasks(slug, { q: fieldTerm("engine", engine), limit: 1 }, { signal });
      return items[0] ?? null;
    },
    meta: {
      live: { project: slug, on: { "task.changed": { isStale: (_, task: Task | null | undefined) => !task } } },
    },
  });
