import { isProblem } from "@svc/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import { agentsQuery } from "../../features/agents/index.ts";

/** Ids are resolved directly in at most this many engines; the list search covers the others. */
const maximumEngines = 5;

/** The tasks of a project whose id, or `engine/id`, is exactly this text. */
export const taskByIdQuery = (slug: string, text: string) =>
  queryOptions({
    queryKey: ["task-by-id", slug, text],
    queryFn: async ({ signal }) => {
      const find = (engine: string, id: string) =>
        api.getTask(slug, engine, id, { signal }).catch((error: unknown) => {
          if (isProblem(error, "not_found") || isProblem(error, "unaddressable")) return null;
          throw error;
        });
      const [engine, ...rest] = text.split("/");
      const agents = queryClient.getQueryData(agentsQuery(slug).queryKey)?.items ?? [];
      const engines = [...new Set(agents.flatMap((agent) => agent.engine_adapters))].slice(0, maximumEngines);
      const [page, ...found] = await Promise.all([
        api.listTasks(slug, { search: text, limit: 20 }, { signal }),
        ...engines.map((name) => find(name, text)),
        ...(engine && rest.length > 0 ? [find(engine, rest.join("/"))] : []),
      ]);
      const all = [...found.filter((task) => task !== null), ...page.items.filter((task) => task.task_id === text)];
      return [...new Map(all.map((task) => [task.id, task])).values()];
    },
    staleTime: 10_000,
    retry: false,
    meta: { quiet: true },
  });
