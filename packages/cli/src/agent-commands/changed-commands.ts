import type { Command, CommandPage, ListCommandsQuery } from "@svc/client";
import { isFinished } from "./outcomes.ts";

/** Lists commands of a project, newest first. */
type ListCommands = (query: ListCommandsQuery) => Promise<CommandPage>;

interface ChangedCommands {
  /** Commands issued or changed since the last poll, oldest first. Empty on the first poll. */
  readonly changed: readonly Command[];
  /** More changed between two polls than one poll reads, so some changes are missing from `changed`. */
  readonly hasMissed: boolean;
}

const pageSize = 200;
const pagesPerPoll = 25;
/** Number of remembered statuses, more than one poll reads, so that no command is mistaken for a new one. */
const remembered = 2 * pagesPerPoll * pageSize;

/**
 * Returns a function that polls for changes since its last call. It reads from the newest command until it reaches known ones and every
 * unfinished command, up to 5,000 per poll.
 */
export function createChangedCommands(list: ListCommands): () => Promise<ChangedCommands> {
  const known = new Map<string, string>();
  const unfinished = new Set<string>();
  /** Unknown commands issued up to this instant existed before the first poll. */
  let firstIssuedAt = "";
  let isFirst = true;

  /** @returns distinct commands, newest first, and whether the poll reached known ones. */
  async function read(): Promise<{ commands: Command[]; isComplete: boolean }> {
    const commands = new Map<string, Command>();
    const awaited = new Set(unfinished);
    let hasMetKnown = false;
    let cursor: string | null = null;
    for (let page = 0; page < pagesPerPoll; page += 1) {
      const { items, next_cursor }: CommandPage = await list({ limit: pageSize, ...(cursor !== null && { cursor }) });
      for (const command of items) {
        commands.set(command.id, command);
        awaited.delete(command.id);
        hasMetKnown ||= known.has(command.id);
      }
      cursor = next_cursor;
      const isComplete = cursor === null || (hasMetKnown && awaited.size === 0);
      if (isComplete || isFirst) return { commands: [...commands.values()], isComplete: true };
    }
    return { commands: [...commands.values()], isComplete: false };
  }

  return async function poll() {
    const { commands, isComplete } = await read();
    const changed: Command[] = [];
    if (isFirst && commands.length === pageSize) firstIssuedAt = commands.at(-1)?.issued_at ?? "";
    for (const command of commands.reverse()) {
      const { id, status, issued_at: issuedAt } = command;
      const before = known.get(id);
      if (before === undefined && issuedAt <= firstIssuedAt) continue;
      if (!isFirst && before !== status) changed.push(command);
      known.set(id, status);
    }
    unfinished.clear();
    for (const command of commands) if (!isFinished(command) && known.has(command.id)) unfinished.add(command.id);
    for (const id of known.keys()) {
      if (known.size <= remembered) break;
      known.delete(id);
    }
    isFirst = false;
    return { changed, hasMissed: !isComplete };
  };
}
