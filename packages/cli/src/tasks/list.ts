import type { Task, TaskListQuery, TaskPage } from "@svc/client";
import { asking, type Connection, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import type { Command, CommandOptions, Terminal } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { filterOptions, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { jsonText, tableOf } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

const options = {
  ...filterOptions,
  worker: { type: "string", value: "NAME", help: "that this worker ran" },
  query: { type: "string", value: "QUERY", help: "in the language of docs/search.md, beside the others" },
  limit: { type: "string", value: "N", help: "at most so many, newest first (default 50)" },
  cursor: { type: "string", value: "CURSOR", help: "go on where a list ended" },
  json: { type: "boolean", help: "one JSON document: items and next_cursor" },
  ...projectOptions,
} as const satisfies CommandOptions;

const maxTasks = 100_000;
/** The service may give fewer at once. */
const pageSize = 500;

export const tasksList: Command = {
  usage: ["tasks list [--state STATE] [--queue NAME] [filters] [--limit N] [--json]"],
  options,
  details: [whoAsks],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    const { priority, ...filters } = readFilters(values);
    const limit = wholeNumber("limit", values.limit ?? "50", { min: 1, max: maxTasks });
    const { connection, slug } = await openProject(values, terminal);
    const query = {
      ...filters,
      ...(priority !== undefined && { priority: priority.join(",") }),
      ...(values.worker !== undefined && { worker: values.worker }),
      ...(values.query !== undefined && { q: values.query }),
      ...(values.cursor !== undefined && { cursor: values.cursor }),
    };
    const found = await readTasks(connection, slug, { query, limit }, terminal);
    if (values.json === true) terminal.out(jsonText(found));
    else {
      if (found.items.length > 0) for (const line of tableOf(found.items, columns)) terminal.out(line);
      if (found.partial !== undefined) {
        terminal.err(
          `svc: the time for the search ran out at ${found.partial.reached}; it goes on with --cursor ${found.partial.cursor}`,
        );
      } else if (found.next_cursor !== null) terminal.err(`svc: there are more: --cursor ${found.next_cursor}`);
      else if (found.items.length === 0) terminal.err("svc: no task matches");
    }
    return exitCodes.done;
  },
};

const columns = {
  state: ({ state }: Task) => state,
  engine: ({ engine }: Task) => engine,
  "task id": (task: Task) => task.task_id,
  name: ({ name }: Task) => name,
  queue: ({ queue }: Task) => queue,
  attempt: ({ attempt }: Task) => attempt,
  received: (task: Task) => task.received_at,
  exception: ({ exception }: Task) => exception?.split("\n", 1)[0]?.slice(0, 100),
};

/** Page after page, until there are enough or no more. */
async function readTasks(
  connection: Connection,
  slug: string,
  { query, limit }: { query: TaskListQuery; limit: number },
  terminal: Terminal,
): Promise<TaskPage> {
  using progress = startProgress("reading", terminal);
  const items: Task[] = [];
  for (let { cursor } = query; ; ) {
    const page = await asking(
      connection,
      () =>
        connection.api.listTasks(slug, {
          ...query,
          ...(cursor !== undefined && { cursor }),
          limit: Math.min(pageSize, limit - items.length),
        }),
      { slug },
    );
    items.push(...page.items);
    const isEnough = items.length >= limit || page.next_cursor === null || page.partial !== undefined;
    if (isEnough) return { ...page, items };
    cursor = page.next_cursor ?? undefined;
    progress.show(items.length, limit);
  }
}
