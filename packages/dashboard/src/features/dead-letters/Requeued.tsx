import type { Command, CommandStatus } from "@svc/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { printable } from "../../ui/time/format.ts";
import { commandQuery, hasEnded, openPollMs } from "../actions/commands/command-queries.ts";
import { hasUnknownOutcome } from "../actions/requests/unknown-outcome.ts";

const nobodyKnows = "requeued or not: nobody knows";
const words: Readonly<Record<CommandStatus, string>> = {
  pending: "requeue asked for",
  dispatched: "requeue asked for",
  completed: "requeued",
  failed: "not requeued",
  timeout: nobodyKnows,
  cancelled: "requeue taken back",
};

/** What became of a letter that was read before it was put back: the list itself is not read again by itself. */
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
      {command !== undefined && hasUnknownOutcome(command) ? nobodyKnows : words[command?.status ?? "pending"]}
    </AppLink>
  );
}

const undone: readonly CommandStatus[] = ["failed", "cancelled"];

/** Whether a letter may be put back, by the command that was made for it: where there is none, or where that surely put nothing back. */
export function useLeftLetters(slug: string, commandIds: readonly string[]): (commandId: string | null) => boolean {
  const known = useQueries({
    // Read by the mark of each letter, and kept in step by what is pushed.
    queries: commandIds.map((id) => ({ ...commandQuery(slug, id), enabled: false })),
    combine: undoneIds,
  });
  return (commandId) => commandId === null || known.includes(commandId);
}

const undoneIds = (reads: { data: Command | undefined }[]): string[] =>
  reads.flatMap(({ data }) =>
    data !== undefined && undone.includes(data.status) && !hasUnknownOutcome(data) ? [data.id] : [],
  );
