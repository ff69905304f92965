import type { CommandEntry, CommandGroup, CommandTable } from "./command.ts";
import { CliError } from "./exit-codes.ts";

/** What the first words of a command line name: a command with the words after it, or a group that was named alone. */
export type Found =
  | { readonly words: readonly string[]; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly words: readonly string[]; readonly group: CommandGroup };

/** @throws CliError `usage` for an unknown command, naming the nearest one. */
export function findCommand(args: readonly string[], table: CommandTable): Found {
  const [name = "", second, ...rest] = args;
  const line = byName(name, table, []);
  if (!("commands" in line)) return { words: [name], entry: line, rest: args.slice(1) };
  if (second === undefined || second.startsWith("-")) return { words: [name], group: line };
  return { words: [name, second], entry: byName(second, line.commands, [name]), rest };
}

function byName<T extends { readonly name: string }>(name: string, lines: readonly T[], before: readonly string[]): T {
  const found = lines.find((line) => line.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    lines.map((line) => line.name),
  );
  const asked = [...before, name].join(" ");
  const hint =
    near === null
      ? `"${["svc help", ...before].join(" ")}" lists them`
      : `did you mean "${["svc", ...before, near].join(" ")}"?`;
  throw new CliError("usage", `unknown command "${asked}"; ${hint}`);
}

/** The known word that takes the fewest slips to type instead, when those are few for its length; the first of several. */
export function nearest(typed: string, known: readonly string[]): string | null {
  const slips = (word: string) =>
    word.length > 0 && word.startsWith(typed) && typed.length > 1 ? 0 : distance(typed, word);
  const [best] = known
    .map((word) => ({ word, count: slips(word) }))
    .filter(({ word, count }) => count <= Math.max(1, Math.floor(Math.min(word.length, typed.length) / 3)))
    .sort((left, right) => left.count - right.count);
  return best?.word ?? null;
}

/** Letters left out, added, replaced, or swapped with their neighbour (optimal string alignment). */
function distance(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        old[j]! + 1,
        row[j - 1]! + 1,
        old[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? older[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, old] = [old, row];
  }
  return old[to.length]!;
}
