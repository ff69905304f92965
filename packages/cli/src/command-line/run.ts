import type { Command, CommandTable, Terminal } from "./command.ts";
import { CliError, exitCodes } from "./exit-codes.ts";
import { findCommand } from "./find-command.ts";
import { groupHelp, helpOf, overview, usageOf } from "./help.ts";

const helpWords = new Set(["help", "--help", "-h"]);

/** Runs one command line (without `node` and the file) and returns the exit code. Never throws. */
export async function run(args: readonly string[], table: CommandTable, terminal: Terminal): Promise<number> {
  const [first, ...rest] = args;
  try {
    if (first === undefined) {
      for (const line of overview(table)) terminal.err(line);
      return exitCodes.usage;
    }
    if (helpWords.has(first)) return await help(rest, table, terminal);
    const named = first === "--version" ? ["version", ...rest] : args;
    if (wantsHelp(rest)) return await help(named, table, terminal);
    const found = findCommand(named, table);
    if ("group" in found) {
      for (const line of groupHelp(found.group)) terminal.err(line);
      return exitCodes.usage;
    }
    return await runCommand(await found.entry.load(), found.rest, terminal);
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

async function help(args: readonly string[], table: CommandTable, terminal: Terminal): Promise<number> {
  const found = args.length === 0 || args[0]!.startsWith("-") ? null : findCommand(args, table);
  const lines =
    found === null
      ? overview(table)
      : "group" in found
        ? groupHelp(found.group)
        : await helpOf(found.words, found.entry);
  for (const line of lines) terminal.out(line);
  return exitCodes.done;
}

/** Ignores words after `--`, which belong to the command. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

/** Prints one line per error and cause. The stack of an unexpected error is printed with SVC_LOG_LEVEL=debug. */
function explain(fault: unknown, terminal: Terminal): number {
  if (fault instanceof CliError) {
    terminal.err(`svc: ${fault.message}`);
    return exitCodes[fault.exit];
  }
  const error = fault instanceof Error ? fault : new Error(String(fault));
  terminal.err(`svc: ${error.message}`);
  for (let cause = error.cause, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    terminal.err(`  caused by: ${cause.message}`);
  }
  if (process.env.SVC_LOG_LEVEL === "debug" && error.stack) terminal.err(error.stack);
  return exitCodes.failed;
}
