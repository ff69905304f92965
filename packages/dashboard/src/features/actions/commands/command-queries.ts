import type { Command, CommandPage, CommandStatus } from "@svc/client";
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQueryClient,
} from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { useHub } from "../../../live/live.ts";

const pageRows = 50;
const manyRows = 200;

export interface CommandFilters {
  status?: CommandStatus;
  action?: string;
  agent_id?: string;
}

export const commandQuery = (slug: string, commandId: string) =>
  queryOptions({
    queryKey: ["command", slug, commandId],
    queryFn: ({ signal }) => api.getCommand(slug, commandId, { signal }),
  });

/** The bulk retry that sent a command, which stays the same; null once it is gone. */
export const bulkRetryOfCommand = (slug: string, commandId: string) =>
  queryOptions({
    queryKey: ["bulk-retry-of", slug, commandId],
    queryFn: async ({ signal }) =>
      (await api.listBulkRetries(slug, { command_id: commandId, limit: 1 }, { signal })).items[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const commandPages = (slug: string, filters: CommandFilters) =>
  infiniteQueryOptions({
    queryKey: ["commands", slug, filters],
    queryFn: ({ pageParam, signal }) =>
      api.listCommands(
        slug,
        { ...(filters as object), limit: pageRows, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });

/** The commands of the project, many at a time: one looks among them for those about one task. Kept in step like the list of them. */
export const latestCommands = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ["commands", slug, {}, "many"],
    queryFn: ({ pageParam, signal }) =>
      api.listCommands(slug, { limit: manyRows, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 5_000,
  });

/** How often a command is read that has not ended, besides what the hub pushes: it is watched, and often ends before its first answer is here. */
export const openPollMs = 3_000;

export const hasEnded = ({ status }: Pick<Command, "status">): boolean =>
  status !== "pending" && status !== "dispatched";

/** Keeps the commands that were read in step with the hub. */
export function useLiveCommands(slug: string): void {
  const client = useQueryClient();
  useHub("command.changed", ({ rows = [], refetch, hasBegun }) => {
    // Everything shown is read again then, this too.
    if (hasBegun) return;
    if (refetch) {
      for (const subject of ["command", "commands"]) void client.invalidateQueries({ queryKey: [subject, slug] });
      return;
    }
    for (const row of rows) client.setQueryData(commandQuery(slug, row.id).queryKey, (old) => old && newer(old, row));
    for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["commands", slug] })) {
      const filters = queryKey[2] as CommandFilters;
      client.setQueryData<CommandList>(queryKey, (old) => old && withRows(old, rows, filters));
    }
  });
}

type CommandList = InfiniteData<CommandPage, string>;

/** Changed rows where they are; new ones that the filters let in, first. */
export function withRows(list: CommandList, rows: readonly Command[], filters: CommandFilters): CommandList {
  const known = new Set(list.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const changed = new Map(rows.map((row) => [row.id, row]));
  const added = rows
    .filter((row) => !known.has(row.id) && isLetIn(row, filters))
    .sort((a, b) => b.issued_at.localeCompare(a.issued_at));
  return {
    ...list,
    pages: list.pages.map((page, at) => ({
      ...page,
      items: [...(at === 0 ? added : []), ...page.items.map((item) => newer(item, changed.get(item.id)))],
    })),
  };
}

/** An answer that was under way may be older than what was pushed meanwhile: what has ended stays so. */
const newer = (old: Command, row: Command | undefined): Command =>
  row === undefined || (hasEnded(old) && !hasEnded(row)) ? old : { ...old, ...row };

const isLetIn = (row: Command, { status, action, agent_id }: CommandFilters): boolean =>
  (status === undefined || row.status === status) &&
  (action === undefined || row.action === action) &&
  (agent_id === undefined || row.agent_id === agent_id);
