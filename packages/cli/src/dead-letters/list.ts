import type { DeadLetter } from "@svc/client";
import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { requireWord, wholeNumber } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { jsonText, tableOf } from "../terminal/printed.ts";

const options = {
  queue: { type: "string", value: "NAME", help: "of this queue (default: of every queue that the agent knows)" },
  limit: { type: "string", value: "N", help: "at most so many, newest first, up to 200 (default 100)" },
  cursor: { type: "string", value: "CURSOR", help: "go on where a list ended" },
  agent: {
    type: "string",
    value: "ID",
    help: "ask this agent (default: the one seen last of those that can tell); a cursor is for the agent that gave it",
  },
  json: { type: "boolean", help: "one JSON document: entries, next_cursor, total, engine and agent_id" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const deadLettersList: Command = {
  usage: ["dead-letters list ENGINE [--queue NAME] [--limit N] [--agent ID] [--json]"],
  options,
  details: [
    "What the engine has given up on and keeps aside, as an online agent reads it at this moment; ten times a minute at most.",
    whoAsks,
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const query = {
      engine: requireWord(positionals, "engine"),
      limit: wholeNumber("limit", values.limit ?? "100", { min: 1, max: 200 }),
      ...(values.queue !== undefined && { queue: values.queue }),
      ...(values.cursor !== undefined && { cursor: values.cursor }),
      ...(values.agent !== undefined && { agent_id: values.agent }),
    };
    const { connection, slug } = await openProject(values, terminal);
    const page = await asking(connection, () => connection.api.listDeadLetters(slug, query), { slug });
    if (values.json === true) terminal.out(jsonText(page));
    else {
      if (page.entries.length > 0) for (const line of tableOf(page.entries, columns)) terminal.out(line);
      const known = page.total ?? (page.entries.length === 0 ? "no" : null);
      terminal.err(`svc: ${known === null ? "" : `${known} dead letters, `}told by agent ${page.agent_id}`);
      if (page.next_cursor !== null)
        terminal.err(`svc: there are more: --cursor ${page.next_cursor} --agent ${page.agent_id}`);
    }
    return exitCodes.done;
  },
};

const columns = {
  "task id": (letter: DeadLetter) => letter.task_id,
  name: (letter: DeadLetter) => letter.task_name,
  queue: ({ queue }: DeadLetter) => queue,
  attempts: ({ attempts }: DeadLetter) => attempts,
  failed: (letter: DeadLetter) => letter.failed_at,
  error: (letter: DeadLetter) => headlineOf(letter.error_excerpt ?? "").slice(0, 100),
};

/** The line with the message: frames of a stack are moved in, in front of it (Python) or behind it (Node). */
const headlineOf = (excerpt: string): string =>
  excerpt
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .at(-1) ?? excerpt;
