import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { CliError, exitCodes } from "./exit-codes.ts";

/** Where a command writes. Results go to `out`, everything said to a person beside them to `err`; both end the line. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** How far the work has come, in one line that the next one replaces; absent where no person looks on. */
  readonly status?: (line: string) => void;
}

/** An option as the parser takes it, with what help and shell completion say of it. */
interface CommandOption extends ParseArgsOptionDescriptor {
  readonly value?: string;
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** An option that is there or not. */
export const flag = (help: string) => ({ type: "boolean", help }) as const;

/** An option with a value, which `value` stands for in help: `URL`. */
export const text = (value: string, help: string) => ({ type: "string", value, help }) as const;

/** The same, which may be repeated. */
export const texts = (value: string, help: string) => ({ type: "string", multiple: true, value, help }) as const;

/** What help and shell completion say of a command. */
interface Described<Options extends CommandOptions> {
  /** What follows `svc` on each usage line, for example `version [--json]`. */
  readonly usage: readonly string[];
  readonly options?: Options;
  /** Words that may stand beside the options, for shell completion. */
  readonly words?: readonly string[];
  /** What else the reader of `--help` needs. */
  readonly details?: readonly string[];
}

/** One command, which is loaded only when it is run. */
export interface Command extends Described<CommandOptions> {
  /**
   * Does the work and gives the exit code; a service resolves when it has drained.
   *
   * @throws CliError for every refusal; anything else ends with exit code 1.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

interface Definition<Options extends CommandOptions> extends Described<Options> {
  /** How many words may stand beside the options; none unless given. */
  readonly positionals?: number;
  /** Does the work with the options and words of the command line; without an exit code it is done. */
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
 * @throws CliError `usage` for an unknown option, a missing value, or more than `positionals` words.
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

/** What a command line says by these options. */
export type OptionValues<Options extends CommandOptions> = ReturnType<typeof readOptions<Options>>["values"];

function parse<const Options extends Readonly<Record<string, ParseArgsOptionDescriptor>>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    const [firstSentence] = (cause as Error).message.split(/\. |\n/);
    throw new CliError("usage", firstSentence ?? "these arguments cannot be read", { cause });
  }
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
