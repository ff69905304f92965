import type { BulkRetryRequest, Command } from "@svc/client";

interface Listed<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

export type ListEntry =
  | { readonly key: string; readonly at: string; readonly command: Command; readonly bulkRetry?: undefined }
  | { readonly key: string; readonly at: string; readonly bulkRetry: BulkRetryRequest; readonly command?: undefined };

/**
 * Commands and bulk retries as one list, newest first. Both load page by page, so the list ends where the shorter one does: beyond that,
 * its entries could be missing. `next` names the one to load for more.
 */
export function mergedList(commands: Listed<Command>, bulkRetries: Listed<BulkRetryRequest>) {
  const endOf = (list: Listed<ListEntry>) => (list.hasMore ? (list.rows.at(-1)?.at ?? "") : "");
  const ofCommands = {
    ...commands,
    rows: commands.rows.map((command): ListEntry => ({ key: command.id, at: command.issued_at, command })),
  };
  const ofRetries = {
    ...bulkRetries,
    rows: bulkRetries.rows.map((bulkRetry): ListEntry => ({ key: bulkRetry.id, at: bulkRetry.created_at, bulkRetry })),
  };
  const end = [endOf(ofCommands), endOf(ofRetries)].sort().at(-1) ?? "";
  return {
    entries: [...ofCommands.rows, ...ofRetries.rows]
      .filter(({ at }) => at >= end)
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    next: {
      commands: commands.hasMore && endOf(ofCommands) === end,
      bulkRetries: bulkRetries.hasMore && endOf(ofRetries) === end,
    },
  };
}
