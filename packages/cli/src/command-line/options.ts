import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { CliError } from "./exit-codes.ts";

type OptionTable = Readonly<Record<string, ParseArgsOptionDescriptor>>;

/**
 * Reads `--name value` options and positional words.
 *
 * @throws CliError `usage` for an unknown option, a missing value, or more positional words than `positionals` (default 0) allows.
 */
export function readOptions<const T extends OptionTable>(
  args: readonly string[],
  options: T,
  { positionals = 0 }: { positionals?: number } = {},
) {
  const parsed = parse(args, options);
  const surplus = parsed.positionals[positionals];
  if (surplus !== undefined) throw new CliError("usage", `unexpected argument "${surplus}"`);
  return parsed;
}

function parse<const T extends OptionTable>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    const [firstSentence] = (cause as Error).message.split(/\. |\n/);
    throw new CliError("usage", firstSentence ?? "these arguments cannot be read", { cause });
  }
}
