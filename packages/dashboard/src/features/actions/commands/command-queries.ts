import type { Command, CommandPage, CommandStatus } from "@svc/client";
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import type { Live } from "../../../live/declared.ts";

const pageRows = 50;

export interface CommandFilters {
  status?: CommandStatus;
  action?: string;
  agent_id?: string;
  /** Without the commands that bulk retries sent, each for one task: a bulk retry is one row of its own. */
  without_bulk_retries?: boolean;
}

export const commandQuery = (slug: string, commandId: string) =>
  queryOptions({
    queryKey: ["command", slug, commandId],
    queryFn: ({ signal }) => api.getCommand(slug, commandId, { signal }),
    meta: {
      live: {
        project: slug,
        on: {
          "command.changed": {
            patch: (command: Command, { rows = [] }: { rows?: Command[] }) =>
              newer(
                command,
                rows.find(({ id }) => id === command.id),
              ),
          },
        },
      },
    },
  });

/** The bulk retry that sent a command, which stays the same; null once it is gone. */
export const bulkRetryOfCommand = (slug: string, commandId: string) =>
  queryOptions({
    queryKey: ["bulk-retry-of", slug, commandId],
    queryFn: async ({ signal }) =>
      (await api.listBulkRetries(slug, { command_id: commandId, limit: 1 }, { signal })).items[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

const liveOfList = (slug: string, filters: CommandFilters): Live => ({
  project: slug,
  on: {
    "command.changed": {
      patch: (list: CommandList, { rows = [] }: { rows?: Command[] }) => withRows(list, rows, filters),
    },
  },
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
    meta: { live: liveOfList(slug, filters) },
  });

/** How often a command is read that has not ended, besides what the hub pushes: it is watched, and often ends before its first answer is here. */
export const openPollMs = 3_000;

export const hasEnded = ({ status }: Pick<Command, "status">): boolean =>
  status !== "pending" && status !== "dispatched";

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

const isLetIn = (row: Command, { status, action, agent_id, without_bulk_retries }: CommandFilters): boolean =>
  !(without_bulk_retries && row.action === "bulk_retry" && row.target_id !== null) &&
  (status === undefined || row.status === status) &&
  (action === undefined || row.action === action) &&
  (agent_id === undefined || row.agent_id === agent_id);
