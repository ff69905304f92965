import { isProblem, type Task, type TaskListQuery, type TaskPage } from "@svc/client";
import { suggestQuery } from "@svc/client/task-query";
import { authHelp, callService, openProject, type Project, projectOptions } from "../api/connect.ts";
import { defineCommand, type Terminal, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { defined, filterOptions, listOptions, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { inOneLine, printPage } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

const maxTasks = 100_000;
/** The service may return smaller pages. */
const pageSize = 500;

export const tasksList = defineCommand({
  usage: ["tasks list [--state STATE] [--queue NAME] [filters] [--limit N] [--json]"],
  options: {
    ...filterOptions,
    worker: text("NAME", "only tasks that ran on this worker"),
    query: text("QUERY", "query (see docs/reference/query-language.md), combined with the other filters"),
    ...listOptions,
    limit: text("N", "maximum number of rows, newest first, up to 100,000 (default 50)"),
    ...projectOptions,
  },
  details: [authHelp],
  async run({ values }, terminal) {
    const { priority, ...filters } = readFilters(values);
    const { worker, query: q, cursor } = values;
    const query = { ...filters, ...defined({ priority: priority?.join(","), worker, q, cursor }) };
    const limit = wholeNumber("limit", values.limit ?? "50", { min: 1, max: maxTasks });
    const project = await openProject(values, terminal);
    const hint = queryHint(values);
    const found = await readTasks(project, { query, limit }, terminal).catch((cause: unknown) => {
      if (!(cause instanceof CliError) || hint === null || !isProblem(cause.cause, "validation_error")) throw cause;
      throw new CliError(cause.exit, `${cause.message}\n     ${hint}`, { cause: cause.cause });
    });
    const { partial } = found;
    const rest =
      partial && `the search reached its time limit at ${partial.reached}. Continue with --cursor ${partial.cursor}`;
    printPage(terminal, values, found, {
      columns,
      none: ["no tasks found", ...(hint === null ? [] : [hint])].join("\n     "),
      rest,
    });
  },
});

/** A hint for a word such as `customer=42`, which is not valid query syntax. Null without such a word. */
function queryHint({ query, search }: { query?: string | undefined; search?: string | undefined }): string | null {
  const suggestions = [query, search].flatMap((text) => (text === undefined ? [] : (suggestQuery(text) ?? [])));
  return suggestions.length === 0 ? null : `did you mean --query: ${inOneLine(suggestions.join(" "))}`;
}

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

/** Reads pages until there are `limit` tasks or no more. */
async function readTasks(
  project: Project,
  { query, limit }: { query: TaskListQuery; limit: number },
  terminal: Terminal,
): Promise<TaskPage> {
  using progress = startProgress("reading", terminal);
  const items: Task[] = [];
  for (let { cursor } = query; ; ) {
    const pageQuery = { ...query, ...defined({ cursor }), limit: Math.min(pageSize, limit - items.length) };
    const page = await callService(project, ({ api, slug }) => api.listTasks(slug, pageQuery));
    items.push(...page.items);
    const isEnough = items.length >= limit || page.next_cursor === null || page.partial !== undefined;
    if (isEnough) return { ...page, items };
    cursor = page.next_cursor ?? undefined;
    progress.show(items.length, limit);
  }
}
