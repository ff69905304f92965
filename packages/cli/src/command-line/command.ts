import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { CliError, exitCodes } from "./exit-codes.ts";

/** Output of a command. Results go to `out`, messages to `err`. Both add a line break. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Shows progress in one line that the next call replaces. Absent when the output is not a terminal. */
  readonly status?: (line: string) => void;
}

/** An option for the parser, with its text for help and shell completion. */
interface CommandOption extends ParseArgsOptionDescriptor {
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** A boolean option. */
export const flag = (help: string) => ({ type: "boolean", help }) as const;

/** An option with a value, shown as `value` in help: `URL`. */
export const text = (value: string, help: string) => ({ type: "string", value, help }) as const;

/** A repeatable option with a value. */
export const texts = (value: string, help: string) => ({ type: "string", multiple: true, value, help }) as const;

/** A command's text for help and shell completion. */
interface Described<Options extends CommandOptions> {
  /** The usage lines without `svc`, for example `version [--json]`. */
  readonly usage: readonly string[];
  readonly options?: Options;
  /** Positional words for shell completion. */
  readonly words?: readonly string[];
  /** Further lines of `--help`. */
  readonly details?: readonly string[];
}

/** A command. It is loaded only when it runs. */
export interface Command extends Described<CommandOptions> {
  /**
   * Runs the command and returns the exit code. A service resolves after it has drained.
   *
   * @throws CliError for every refusal. Any other error gives exit code 1.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

interface Definition<Options extends CommandOptions> extends Described<Options> {
  /** Maximum number of positional words. Default 0. */
  readonly positionals?: number;
  /** Runs the command with its options and words. Returning no exit code means success. */
  run(given: ReturnType<typeof readOptions<Options>>, terminal: Terminal): Promise<number | undefined>;
}

export function defineCommand<const Options extends CommandOptions>(definition: Definition<Options>): Command {
  const { positionals, run, ...described } = definition;
  return {
    ...described,
    async run(args, terminal) {
      const given = readOptions(args, described.options ?? ({} as Options), positionals);
      return (await run(given, terminal)) ?? exitCodes.done;
    },
  };
}

/**
 * Reads `--name value` options and positional words.
 *
 * @throws CliError `usage` for an unknown option, a missing value or more than `positionals` words.
 */
export function readOptions<const Options extends Readonly<Record<string, ParseArgsOptionDescriptor>>>(
  args: readonly string[],
  options: Options,
  positionals = 0,
) {
  const parsed = parse(args, options);
  const surplus = parsed.positionals[positionals];
  if (surplus !== undefined) throw new CliError("usage", `unexpected argument "${surplus}"`);
  return parsed;
}

/** The values of these options on a command line. */
export type OptionValues<Options extends CommandOptions> = ReturnType<typeof readOptions<Options>>["values"];

function parse<const Options extends Readonly<Record<string, ParseArgsOptionDescriptor>>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    const [firstSentence] = (cause as Error).message.split(/\. |\n/);
    throw new CliError("usage", firstSentence ?? "invalid arguments", { cause });
  }
}

/** An entry of the command table. */
export interface CommandEntry {
  readonly name: string;
  /** Summary for `svc help`. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** An entry of the command table with subcommands: `svc config show`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandEntry[];
}

export type CommandTable = readonly (CommandEntry | CommandGroup)[];

/** Every command with its words, in table order. */
export const allCommands = (table: CommandTable): { words: readonly string[]; entry: CommandEntry }[] =>
  table.flatMap((line) =>
    "commands" in line
      ? line.commands.map((entry) => ({ words: [line.name, entry.name], entry }))
      : [{ words: [line.name], entry: line }],
  );
