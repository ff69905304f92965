import type { ParseArgsOptionDescriptor } from "node:util";

/** Where a command writes. Results go to `out`, everything said to a person beside them to `err`; both end the line. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** How far the work has come, in one line that the next one replaces; absent where no person looks on. */
  readonly status?: (line: string) => void;
}

/** An option as the parser takes it, with what help and shell completion say of it. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  /** What stands for the value of an option that has one, for example `URL`. */
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** One command in a file of its own, which is loaded only when the command is run. */
export interface Command {
  /** What follows `svc` on each usage line, for example `version [--json]`. */
  readonly usage: readonly string[];
  readonly options?: CommandOptions;
  /** Words that may stand beside the options, for shell completion. */
  readonly words?: readonly string[];
  /** What else the reader of `--help` needs. */
  readonly details?: readonly string[];
  /**
   * Does the work and gives the exit code; a service resolves when it has drained.
   *
   * @throws CliError for every refusal; anything else ends with exit code 1.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** A line of the command table. */
export interface CommandEntry {
  readonly name: string;
  /** One line for `svc help`. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** A line of the command table with commands of its own: `svc config show`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandEntry[];
}

export type CommandTable = readonly (CommandEntry | CommandGroup)[];

/** Every command by the words that call it, in the order of the table. */
export const allCommands = (table: CommandTable): { words: readonly string[]; entry: CommandEntry }[] =>
  table.flatMap((line) =>
    "commands" in line
      ? line.commands.map((entry) => ({ words: [line.name, entry.name], entry }))
      : [{ words: [line.name], entry: line }],
  );
