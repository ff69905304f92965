import type { Command, CommandEntry, CommandGroup, CommandOptions, CommandTable } from "./command.ts";

/** Lines of `svc help`. */
export const overview = (table: CommandTable): string[] => [
  "usage: svc <command> [options]",
  "",
  ...listed(table),
  "",
  'Run "svc help <command>" for the options of a command.',
];

/** Lines of `svc help config`. */
export const groupHelp = ({ name, summary, commands }: CommandGroup): string[] => [
  `svc ${name}: ${summary}`,
  `usage: svc ${name} <command> [options]`,
  "",
  ...listed(commands),
];

/** Lines of `svc help version`. */
export async function helpOf(words: readonly string[], entry: CommandEntry): Promise<string[]> {
  const command = await entry.load();
  const about = [...optionLines(command.options), ...(command.details ?? [])];
  return [`svc ${words.join(" ")}: ${entry.summary}`, ...usageOf(command), ...about.map((line) => `  ${line}`)];
}

export const usageOf = (command: Command): string[] =>
  command.usage.map((line, index) => `${index === 0 ? "usage:" : "      "} svc ${line}`);

/** An option with its value: `--brain URL`. */
export const optionForm = (name: string, { value }: { readonly value?: string }): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function optionLines(options: CommandOptions = {}): string[] {
  const forms = Object.entries(options).map(([name, option]) => [optionForm(name, option), option.help] as const);
  const width = Math.max(...forms.map(([form]) => form.length));
  return forms.map(([form, help]) => `${form.padEnd(width)}   ${help}`);
}

function listed(lines: readonly { readonly name: string; readonly summary: string }[]): string[] {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}
