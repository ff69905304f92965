import { nearest } from "@svc/protocol";
import type { CommandEntry, CommandGroup, CommandTable } from "./command.ts";
import { CliError } from "./exit-codes.ts";

/** The command of a command line with its remaining words, or a group without a command. */
export type Found =
  | { readonly words: readonly string[]; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly words: readonly string[]; readonly group: CommandGroup };

/** @throws CliError `usage` for an unknown command, with the most similar one. */
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
      ? `Run "${["svc help", ...before].join(" ")}" for a list`
      : `Did you mean "${["svc", ...before, near].join(" ")}"?`;
  throw new CliError("usage", `unknown command "${asked}". ${hint}`);
}
