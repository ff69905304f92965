import type { Command, CommandPage, ListCommandsQuery } from "@svc/client";
import { isOver } from "./outcomes.ts";

/** Lists commands of a project, newest first. */
type ListCommands = (query: ListCommandsQuery) => Promise<CommandPage>;

interface ChangedCommands {
  /** Those that were issued or changed since the look before, oldest first; none at the first look. */
  readonly changed: readonly Command[];
  /** More happened between two looks than one look reads: some changes are not among `changed`. */
  readonly hasMissed: boolean;
}

const pageSize = 200;
const pagesPerLook = 25;
/** Statuses that are remembered: of more commands than one look reads, so that none is taken for a new one. */
const remembered = 2 * pagesPerLook * pageSize;

/**
 * Gives a function that looks what changed since it looked last. It reads on from the newest command until it meets what it knows already
 * and every command that was under way, however many were issued since; up to 5,000 in one look.
 */
export function createChangedCommands(list: ListCommands): () => Promise<ChangedCommands> {
  const known = new Map<string, string>();
  const underWay = new Set<string>();
  /** What was not issued after this and is not known was there before the first look. */
  let firstIssuedAt = "";
  let isFirst = true;

  /** @returns newest first, each once, and whether the look ends at what is known. */
  async function read(): Promise<{ commands: Command[]; isWhole: boolean }> {
    const commands = new Map<string, Command>();
    const awaited = new Set(underWay);
    let hasMetKnown = false;
    let cursor: string | null = null;
    for (let page = 0; page < pagesPerLook; page += 1) {
      const { items, next_cursor }: CommandPage = await list({ limit: pageSize, ...(cursor !== null && { cursor }) });
      for (const command of items) {
        commands.set(command.id, command);
        awaited.delete(command.id);
        hasMetKnown ||= known.has(command.id);
      }
      cursor = next_cursor;
      const isWhole = cursor === null || (hasMetKnown && awaited.size === 0);
      if (isWhole || isFirst) return { commands: [...commands.values()], isWhole: true };
    }
    return { commands: [...commands.values()], isWhole: false };
  }

  return async function look() {
    const { commands, isWhole } = await read();
    const changed: Command[] = [];
    if (isFirst && commands.length === pageSize) firstIssuedAt = commands.at(-1)?.issued_at ?? "";
    for (const command of commands.reverse()) {
      const { id, status, issued_at: issuedAt } = command;
      const before = known.get(id);
      if (before === undefined && issuedAt <= firstIssuedAt) continue;
      if (!isFirst && before !== status) changed.push(command);
      known.set(id, status);
    }
    underWay.clear();
    for (const command of commands) if (!isOver(command) && known.has(command.id)) underWay.add(command.id);
    for (const id of known.keys()) {
      if (known.size <= remembered) break;
      known.delete(id);
    }
    isFirst = false;
    return { changed, hasMissed: !isWhole };
  };
}
