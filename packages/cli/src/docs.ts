import { allCommands, type CommandEntry } from "./command-line/command.ts";
import { exitCodes } from "./command-line/exit-codes.ts";
import { optionForm } from "./command-line/help.ts";
import { commands } from "./commands.ts";

const meanings: Record<keyof typeof exitCodes, string> = {
  done: "done",
  failed: "the check or the operation failed, or a command that was waited for",
  usage: "wrong usage",
  configuration: "the settings are not valid, or a secret is not that of the database",
  unreachable: "database, service or broker cannot be reached",
  notFound: "what was named does not exist",
  refused:
    "refused: a conflict, credentials that are missing or do not suffice, a password that the policy does not take, or something that needs `--force` or `--yes`",
  interrupted: "interrupted, for example by Ctrl-C at a question",
};

/** docs/reference/cli.md: every command as its help tells it. */
export async function cliDocument(): Promise<string> {
  const sections = await Promise.all(allCommands(commands).map(({ words, entry }) => sectionOf(words, entry)));
  return `${[
    "# Command line",
    "",
    "Printed from the code by `npm run docs`. Run these commands as `npx svc …` inside the checkout: elsewhere, `npx svc` runs an unrelated",
    "package. `svc agent` is also [one file](../guides/agents.md#the-agent-file) that runs anywhere. Results go to standard output, everything said beside them to standard error; with `--json` the",
    "result is one JSON document. Secrets come from a question that shows nothing, from `--stdin` or from the environment, never from",
    "arguments, which other users of a machine can read. Which database, secrets and files a command works on is said by the settings:",
    "[Configuration](configuration.md).",
    "",
    "`tasks`, `commands`, `dead-letters`, `bulk-retry`, `login` and `logout` speak with a running service instead: see",
    "[Acting from a shell](../guides/from-a-shell.md).",
    "",
    "| Exit code | Means |",
    "|---|---|",
    ...Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`),
    ...sections.flat(),
  ].join("\n")}\n`;
}

async function sectionOf(words: readonly string[], entry: CommandEntry): Promise<string[]> {
  const { usage, options = {}, details = [] } = await entry.load();
  const rows = Object.entries(options).map(
    ([name, option]) => `| \`${optionForm(name, option)}\` | ${cell(option.help)} |`,
  );
  return [
    "",
    `## svc ${words.join(" ")}`,
    "",
    `${capital(entry.summary)}.`,
    "",
    "```",
    ...usage.map((line) => `svc ${line}`),
    "```",
    ...(rows.length === 0 ? [] : ["", "| Option | Meaning |", "|---|---|", ...rows]),
    ...(details.length === 0 ? [] : ["", ...details.map(cell)]),
  ];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const cell = (text: string): string => text.replaceAll("|", "\\|");
