import type { Command, CommandEntry, Terminal } from "./command.ts";
import { CliError, exitCodes } from "./exit-codes.ts";

const helpWords = new Set(["help", "--help", "-h"]);

/** Runs one command line (without `node` and the file) and gives the exit code. Never throws. */
export async function run(
  args: readonly string[],
  commands: readonly CommandEntry[],
  terminal: Terminal,
): Promise<number> {
  const [first, ...rest] = args;
  try {
    if (first === undefined) {
      for (const line of overview(commands)) terminal.err(line);
      return exitCodes.usage;
    }
    if (helpWords.has(first)) return await help(rest[0], commands, terminal);
    const name = first === "--version" ? "version" : first;
    if (asksForHelp(rest)) return await help(name, commands, terminal);
    const command = await find(name, commands).load();
    return await runCommand(command, rest, terminal);
  } catch (fault) {
    return explain(fault, terminal);
  }
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await command.run(args, terminal);
  } catch (fault) {
    const code = explain(fault, terminal);
    if (code === exitCodes.usage) for (const line of usageOf(command)) terminal.err(line);
    return code;
  }
}

async function help(name: string | undefined, commands: readonly CommandEntry[], terminal: Terminal): Promise<number> {
  if (name === undefined) {
    for (const line of overview(commands)) terminal.out(line);
    return exitCodes.done;
  }
  const entry = find(name, commands);
  const command = await entry.load();
  terminal.out(`svc ${entry.name}: ${entry.summary}`);
  for (const line of [...usageOf(command), ...(command.details ?? []).map((detail) => `  ${detail}`)])
    terminal.out(line);
  return exitCodes.done;
}

/** Words after `--` belong to the command. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

function find(name: string, commands: readonly CommandEntry[]): CommandEntry {
  const entry = commands.find((candidate) => candidate.name === name);
  if (!entry) throw new CliError("usage", `unknown command "${name}"; "svc help" lists them`);
  return entry;
}

function overview(commands: readonly CommandEntry[]): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "usage: svc <command> [options]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    '"svc help <command>" tells the options of one.',
  ];
}

function usageOf(command: Command): string[] {
  return command.usage.map((line, index) => `${index === 0 ? "usage:" : "      "} svc ${line}`);
}

/** One line per fault and its causes; the stack of what we did not foresee is for SVC_LOG_LEVEL=debug. */
function explain(fault: unknown, terminal: Terminal): number {
  if (fault instanceof CliError) {
    terminal.err(`svc: ${fault.message}`);
    return exitCodes[fault.exit];
  }
  const error = fault instanceof Error ? fault : new Error(String(fault));
  terminal.err(`svc: ${error.message}`);
  for (let cause = error.cause, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    terminal.err(`  because: ${cause.message}`);
  }
  if (process.env.SVC_LOG_LEVEL === "debug" && error.stack) terminal.err(error.stack);
  return exitCodes.failed;
}
