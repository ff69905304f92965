import type { Command, CommandPage, CommandStatus } from "@svc/client";
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import type { Live } from "../../../live/declared.ts";

const pageRows = 50;

export interface CommandFilters {
  status?: CommandStatus;
  action?: string;
  agent_id?: string;
  /** Excludes the single-task commands of bulk retries, since each bulk retry has its own row. */
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

/** The bulk retry that sent a command; null once it is deleted. */
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

/** Poll interval of a command that has not ended, in addition to change events: it may end before the first response arrives. */
export const openPollMs = 3_000;

export const hasEnded = ({ status }: Pick<Command, "status">): boolean =>
  status !== "pending" && status !== "dispatched";

type CommandList = InfiniteData<CommandPage, string>;

/** Updates changed rows in place and puts new ones that match the filters first. */
export function withRows(list: CommandList, rows: readonly Command[], filters: CommandFilters): CommandList {
  const known = new Set(list.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const changed = new Map(rows.map((row) => [row.id, row]));
  const added = rows
    .filter((row) => !known.has(row.id) && matches(row, filters))
    .sort((a, b) => b.issued_at.localeCompare(a.issued_at));
  return {
    ...list,
    pages: list.pages.map((page, at) => ({
      ...page,
      items: [...(at === 0 ? added : []), ...page.items.map((item) => newer(item, changed.get(item.id)))],
    })),
  };
}

/** A response may be older than a change event: a command that has ended stays so. */
const newer = (old: Command, row: Command | undefined): Command =>
  row === undefined || (hasEnded(old) && !hasEnded(row)) ? old : { ...old, ...row };

const matches = (row: Command, { status, action, agent_id, without_bulk_retries }: CommandFilters): boolean =>
  !(without_bulk_retries && row.action === "bulk_retry" && row.target_id !== null) &&
  (status === undefined || row.status === status) &&
  (action === undefined || row.action === action) &&
  (agent_id === undefined || row.agent_id === agent_id);
