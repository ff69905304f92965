import { isProblem, type Task, type TaskListQuery, type TaskPage } from "@svc/client";
import { meantQuery } from "@svc/client/task-query";
import { asking, openProject, type Project, projectOptions, whoAsks } from "../api/connect.ts";
import { defineCommand, type Terminal, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { defined, filterOptions, listOptions, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { inOneLine, printPage } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

const maxTasks = 100_000;
/** The service may give fewer at once. */
const pageSize = 500;

export const tasksList = defineCommand({
  usage: ["tasks list [--state STATE] [--queue NAME] [filters] [--limit N] [--json]"],
  options: {
    ...filterOptions,
    worker: text("NAME", "that this worker ran"),
    query: text("QUERY", "in the language of docs/guides/search.md, beside the others"),
    ...listOptions,
    limit: text("N", "at most so many, newest first (default 50)"),
    ...projectOptions,
  },
  details: [whoAsks],
  async run({ values }, terminal) {
    const { priority, ...filters } = readFilters(values);
    const { worker, query: q, cursor } = values;
    const query = { ...filters, ...defined({ priority: priority?.join(","), worker, q, cursor }) };
    const limit = wholeNumber("limit", values.limit ?? "50", { min: 1, max: maxTasks });
    const project = await openProject(values, terminal);
    const hint = meantHint(values);
    const found = await readTasks(project, { query, limit }, terminal).catch((cause: unknown) => {
      if (!(cause instanceof CliError) || hint === null || !isProblem(cause.cause, "validation_error")) throw cause;
      throw new CliError(cause.exit, `${cause.message}\n     ${hint}`, { cause: cause.cause });
    });
    const { partial } = found;
    const rest =
      partial && `the time for the search ran out at ${partial.reached}; it goes on with --cursor ${partial.cursor}`;
    printPage(terminal, values, found, {
      columns,
      none: ["no task matches", ...(hint === null ? [] : [hint])].join("\n     "),
      rest,
    });
  },
});

/** What a word such as `customer=42` in the search was probably meant to say; null without such a word. */
function meantHint({ query, search }: { query?: string | undefined; search?: string | undefined }): string | null {
  const meant = [query, search].flatMap((text) => (text === undefined ? [] : (meantQuery(text) ?? [])));
  return meant.length === 0 ? null : `did you mean --query: ${inOneLine(meant.join(" "))}`;
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

/** Page after page, until there are enough or no more. */
async function readTasks(
  project: Project,
  { query, limit }: { query: TaskListQuery; limit: number },
  terminal: Terminal,
): Promise<TaskPage> {
  using progress = startProgress("reading", terminal);
  const items: Task[] = [];
  for (let { cursor } = query; ; ) {
    const asked = { ...query, ...defined({ cursor }), limit: Math.min(pageSize, limit - items.length) };
    const page = await asking(project, ({ api, slug }) => api.listTasks(slug, asked));
    items.push(...page.items);
    const isEnough = items.length >= limit || page.next_cursor === null || page.partial !== undefined;
    if (isEnough) return { ...page, items };
    cursor = page.next_cursor ?? undefined;
    progress.show(items.length, limit);
  }
}
