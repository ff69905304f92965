import { randomUUID } from "node:crypto";
import { type BulkRetryBody, type BulkRetryFilter, type BulkRetryRequest, plural } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { callService, openProject, type Project, projectOptions, sessionAuthHelp } from "../api/connect.ts";
import { retryUnreachable } from "../api/follow.ts";
import { defineCommand, flag, type Terminal, text, texts } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined, filterOptions, jsonOption, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { confirm } from "../terminal/ask.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

export const bulkRetryCreate = defineCommand({
  usage: ["bulk-retry create [filters] [--max N] [--yes] [--no-wait] [--json]", "bulk-retry create --all [--max N]"],
  options: {
    ...filterOptions,
    query: text("QUERY", "query (see docs/reference/query-language.md), combined with the other filters"),
    engine: text("NAME", "only tasks of this engine"),
    task: texts("ID", "only this task, may be repeated, requires --engine, not with --priority or --query"),
    all: flag("every failed task of the project, instead of filters"),
    max: text("N", "refuse when more tasks match, up to 10,000 (default 1,000)"),
    agent: text("ID", "only this agent (default: any agent that supports it)"),
    canary: text("N", "retry N tasks first and stop if too many fail"),
    "canary-failures": text("N", "block the rest after more than N canary failures (default 0), requires --canary"),
    rate: text("N", "send at most N tasks per minute"),
    key: text("KEY", "idempotency key: a repeated request with the same key starts no second bulk retry"),
    yes: flag("do not ask for confirmation"),
    "no-wait": flag("exit once the service has accepted the request"),
    ...jsonOption,
    ...projectOptions,
  },
  details: [
    "Retries every task that matches now, in state failure by default. The service retries them one by one and continues after a restart.",
    "Ctrl-C stops watching, not the retry. Exits with 0 if every task was retried or none matched, otherwise with 1.",
    sessionAuthHelp,
  ],
  async run({ values }, terminal) {
    const { engine, task, query } = values;
    const filter: BulkRetryFilter = { ...readFilters(values), ...defined({ engine, task_ids: task, q: query }) };
    requireSelection(filter, values.all === true);
    const number = (option: "max" | "canary" | "canary-failures" | "rate", max: number, min = 1) =>
      values[option] === undefined ? undefined : wholeNumber(option, values[option], { min, max });
    const [canary, failures] = [number("canary", 10_000), number("canary-failures", 10_000, 0)];
    if (failures !== undefined && canary === undefined)
      throw new CliError("usage", "--canary-failures requires --canary");
    const body: BulkRetryBody = {
      idempotency_key: values.key ?? randomUUID(),
      filter,
      ...defined({
        max: number("max", 10_000),
        agent_id: values.agent,
        canary_size: canary,
        canary_max_failures: failures,
        rate_per_minute: number("rate", 1_000_000),
      }),
    };

    const project = await openProject(values, terminal, { needsSession: true });
    if (values.yes !== true) {
      const count = await countMatches(project, filter);
      const state = filter.state ?? "failure";
      if (!(await confirm(`Retry ${count} in state ${state} of project ${project.slug}? [y/N] `)))
        throw new CliError("refused", `nothing was retried. Use --yes to retry ${count} without confirmation`);
    }
    const created = await callService(project, ({ api, slug }) =>
      retryUnreachable(() => api.createBulkRetry(slug, body)),
    );
    warnAboutSlowRate(created, body.rate_per_minute ?? undefined, terminal);
    if (values["no-wait"] === true) {
      printBulkRetry(created, values, terminal);
      return exitCodes.done;
    }
    const { id, counts } = created;
    const what =
      created.status === "sealing" ? "is searching for its tasks" : `of ${plural(counts.total, "task")} started`;
    terminal.err(`svc: bulk retry ${id} ${what}. Follow it with svc bulk-retry watch ${id}`);
    return watchBulkRetry(id, values, project, terminal);
  },
});

function requireSelection(filter: BulkRetryFilter, isAll: boolean): void {
  const isEmpty = Object.keys(filter).length === 0;
  if (isEmpty && !isAll) throw new CliError("usage", "missing a filter, or --all for every failed task");
  if (!isEmpty && isAll) throw new CliError("usage", "--all does not accept filters");
  if (filter.task_ids === undefined) return;
  if (filter.engine === undefined) throw new CliError("usage", "--task requires --engine");
  if (filter.priority !== undefined) throw new CliError("usage", "--task does not accept --priority");
  if (filter.q !== undefined) throw new CliError("usage", "--task does not accept --query");
}

/** Warns when the time limit of the request ends before the last task is sent at this rate, which would block the request. */
function warnAboutSlowRate(
  { counts, created_at, deadline_at }: BulkRetryRequest,
  rate: number | undefined,
  terminal: Terminal,
): void {
  if (rate === undefined) return;
  const minutes = (Date.parse(deadline_at) - Date.parse(created_at)) / 60_000;
  if (counts.total <= rate * minutes) return;
  const [needed, available] = [Math.ceil(counts.total / rate), Math.floor(minutes)];
  terminal.err(
    `svc: sending ${plural(counts.total, "task")} at ${rate} per minute takes ${needed} minutes, but the bulk retry is blocked after ${available}. Continue it then with svc bulk-retry resume`,
  );
}

/** The number of matching tasks as text, counted by the task list with the same filters. */
async function countMatches(project: Project, filter: BulkRetryFilter): Promise<string> {
  const { task_ids: ids, engine, priority, state = "failure", q, ...same } = filter;
  if (ids !== undefined) return plural(new Set(ids).size, "task");
  const query = {
    ...same,
    state,
    ...defined({
      priority: priority?.join(","),
      q: withEngine(q ?? undefined, engine ?? undefined),
    }),
    include_total: true,
    limit: 1,
  };
  const page = await callService(project, ({ api, slug }) => api.listTasks(slug, query));
  return page.total_count == null ? "all matching tasks" : plural(page.total_count, "task");
}

/** Adds the engine to the query, where the task list expects it. */
function withEngine(q: string | undefined, engine: string | undefined): string | undefined {
  const terms = [q, engine === undefined ? undefined : fieldTerm("engine", engine)].filter(
    (term) => term !== undefined,
  );
  return terms.length === 0 ? undefined : terms.join(" ");
}
