import type { Command, CommandStatus } from "@svc/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { printable } from "../../ui/time/format.ts";
import { commandQuery, hasEnded, hasUnknownOutcome, openPollMs } from "../actions/index.ts";

const outcomeUnknown = "requeue outcome unknown";
const labels: Readonly<Record<CommandStatus, string>> = {
  pending: "requeue requested",
  dispatched: "requeue requested",
  completed: "requeued",
  failed: "not requeued",
  timeout: outcomeUnknown,
  cancelled: "requeue cancelled",
};

/** The status of a requeue. The list itself is not reloaded automatically, so its rows need one. */
export function Requeued({ slug, commandId }: { slug: string; commandId: string }) {
  const pollMs = useTimedMs(openPollMs);
  const { data: command } = useQuery({
    ...commandQuery(slug, commandId),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : pollMs),
  });
  return (
    <AppLink
      href={paths.command(slug, commandId)}
      title={command?.error == null ? undefined : printable(command.error)}
    >
      {command !== undefined && hasUnknownOutcome(command) ? outcomeUnknown : labels[command?.status ?? "pending"]}
    </AppLink>
  );
}

const undone: readonly CommandStatus[] = ["failed", "cancelled"];

/** Whether a dead letter can be requeued: it has no requeue command, or one that certainly did nothing. */
export function useCanRequeue(slug: string, commandIds: readonly string[]): (commandId: string | null) => boolean {
  const known = useQueries({
    // `Requeued` loads them, and change events update them.
    queries: commandIds.map((id) => ({ ...commandQuery(slug, id), enabled: false })),
    combine: undoneIds,
  });
  return (commandId) => commandId === null || known.includes(commandId);
}

const undoneIds = (reads: { data: Command | undefined }[]): string[] =>
  reads.flatMap(({ data }) =>
    data !== undefined && undone.includes(data.status) && !hasUnknownOutcome(data) ? [data.id] : [],
  );
