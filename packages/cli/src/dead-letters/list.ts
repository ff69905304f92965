import type { DeadLetter } from "@svc/client";
import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import { defineCommand, flag, text } from "../command-line/command.ts";
import { defined, listOptions, requireWord, wholeNumber } from "../command-line/option-values.ts";
import { printResult, tableOf } from "../terminal/printed.ts";

export const deadLettersList = defineCommand({
  usage: ["dead-letters list ENGINE [--queue NAME] [--limit N] [--agent ID] [--json]"],
  options: {
    queue: text("NAME", "of this queue (default: of every queue that the agent knows)"),
    limit: text("N", "at most so many, newest first, up to 200 (default 100)"),
    cursor: listOptions.cursor,
    agent: text(
      "ID",
      "ask this agent (default: the one seen last of those that can tell); a cursor is for the agent that gave it",
    ),
    json: flag("one JSON document: entries, next_cursor, total, engine and agent_id"),
    ...projectOptions,
  },
  details: [
    "What the engine has given up on and keeps aside, as an online agent reads it at this moment; ten times a minute at most.",
    whoAsks,
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const { queue, cursor, agent } = values;
    const query = {
      engine: requireWord(positionals, "engine"),
      limit: wholeNumber("limit", values.limit ?? "100", { min: 1, max: 200 }),
      ...defined({ queue, cursor, agent_id: agent }),
    };
    const project = await openProject(values, terminal);
    const page = await asking(project, ({ api, slug }) => api.listDeadLetters(slug, query));
    printResult(terminal, values, page, tableOf(page.entries, columns));
    if (values.json === true) return;
    const known = page.total ?? (page.entries.length === 0 ? "no" : null);
    terminal.err(`svc: ${known === null ? "" : `${known} dead letters, `}told by agent ${page.agent_id}`);
    if (page.next_cursor !== null)
      terminal.err(`svc: there are more: --cursor ${page.next_cursor} --agent ${page.agent_id}`);
  },
});

const columns = {
  "task id": (entry: DeadLetter) => entry.task_id,
  name: (entry: DeadLetter) => entry.task_name,
  queue: ({ queue }: DeadLetter) => queue,
  attempts: ({ attempts }: DeadLetter) => attempts,
  failed: (entry: DeadLetter) => entry.failed_at,
  error: (entry: DeadLetter) => headlineOf(entry.error_excerpt ?? "").slice(0, 100),
};

/** The line with the message: frames of a stack are moved in, in front of it (Python) or behind it (Node). */
const headlineOf = (excerpt: string): string =>
  excerpt
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .at(-1) ?? excerpt;
