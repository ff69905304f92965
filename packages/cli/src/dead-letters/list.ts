import { type DeadLetter, plural } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand, flag, text } from "../command-line/command.ts";
import { defined, listOptions, requireWord, wholeNumber } from "../command-line/option-values.ts";
import { printResult, tableOf } from "../terminal/printed.ts";

export const deadLettersList = defineCommand({
  usage: ["dead-letters list ENGINE [--queue NAME] [--limit N] [--agent ID] [--json]"],
  options: {
    queue: text("NAME", "queue (default: every queue of the agent)"),
    limit: text("N", "maximum number of rows, newest first, up to 200 (default 100)"),
    cursor: listOptions.cursor,
    agent: text(
      "ID",
      "agent to ask (default: the most recently seen one that supports it). A cursor is valid for its agent only",
    ),
    json: flag("print one JSON document with entries, next_cursor, total, engine and agent_id"),
    ...projectOptions,
  },
  details: ["Loads dead letters live from an online agent. At most 10 requests per minute.", authHelp],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const { queue, cursor, agent } = values;
    const query = {
      engine: requireWord(positionals, "ENGINE"),
      limit: wholeNumber("limit", values.limit ?? "100", { min: 1, max: 200 }),
      ...defined({ queue, cursor, agent_id: agent }),
    };
    const project = await openProject(values, terminal);
    const page = await callService(project, ({ api, slug }) => api.listDeadLetters(slug, query));
    printResult(terminal, values, page, tableOf(page.entries, columns));
    if (values.json === true) return;
    const known = page.total ?? (page.entries.length === 0 ? 0 : null);
    const counted = known === null ? "" : `${plural(known, "dead letter")}, `;
    terminal.err(`svc: ${counted}from agent ${page.agent_id}`);
    if (page.next_cursor !== null)
      terminal.err(`svc: more results: add --cursor ${page.next_cursor} --agent ${page.agent_id}`);
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

/** The line with the message: stack frames are indented, before it (Python) or after it (Node). */
const headlineOf = (excerpt: string): string =>
  excerpt
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .at(-1) ?? excerpt;
