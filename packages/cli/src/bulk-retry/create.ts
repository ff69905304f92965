import { randomUUID } from "node:crypto";
import type { BulkRetryBody, BulkRetryFilter, BulkRetryRequest } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { asking, openProject, type Project, projectOptions, sessionAsks } from "../api/connect.ts";
import { insist } from "../api/follow.ts";
import { defineCommand, flag, type Terminal, text, texts } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined, filterOptions, jsonOption, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { confirms } from "../terminal/ask.ts";
import { counted } from "../terminal/printed.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

export const bulkRetryCreate = defineCommand({
  usage: ["bulk-retry create [filters] [--max N] [--yes] [--no-wait] [--json]", "bulk-retry create --all [--max N]"],
  options: {
    ...filterOptions,
    query: text("QUERY", "in the language of docs/guides/search.md, beside the others"),
    engine: text("NAME", "of this engine"),
    task: texts("ID", "this task, may be repeated; needs --engine"),
    all: flag("every failed task of the project: what no filter says"),
    max: text("N", "refuse when more tasks match, up to 10,000 (default 1000)"),
    agent: text("ID", "by this agent only (default: by any that can)"),
    canary: text("N", "retry N tasks first and stop if too many fail"),
    "canary-failures": text("N", "allow N canary failures before the rest is blocked"),
    rate: text("N", "send at most N tasks per minute"),
    key: text("KEY", "idempotency key: the same key again begins nothing new"),
    yes: flag("without asking first"),
    "no-wait": flag("end when the service has taken the request"),
    ...jsonOption,
    ...projectOptions,
  },
  details: [
    "Retries every task that matches now, by default of those in state failure. The service carries it out one by one, across its own",
    "restarts; Ctrl-C ends the watching, not the retry. Ends with 1 unless every task was retried.",
    sessionAsks,
  ],
  async run({ values }, terminal) {
    const { engine, task, query } = values;
    const filter: BulkRetryFilter = { ...readFilters(values), ...defined({ engine, task_ids: task, q: query }) };
    requireSelection(filter, values.all === true);
    const number = (option: "max" | "canary" | "canary-failures" | "rate", max: number, min = 1) =>
      values[option] === undefined ? undefined : wholeNumber(option, values[option], { min, max });
    const [canary, failures] = [number("canary", 10_000), number("canary-failures", 10_000, 0)];
    if (failures !== undefined && canary === undefined) throw new CliError("usage", "--canary-failures needs --canary");
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
      if (!(await confirms(`Retry ${count} in state ${state} of project ${project.slug}? [y/N] `)))
        throw new CliError("refused", `nothing was retried of ${count}; --yes retries without asking`);
    }
    const created = await asking(project, ({ api, slug }) => insist(() => api.createBulkRetry(slug, body)));
    tellSlowRate(created, body.rate_per_minute ?? undefined, terminal);
    if (values["no-wait"] === true) {
      printBulkRetry(created, values, terminal);
      return exitCodes.done;
    }
    const { id, counts } = created;
    const what = created.status === "sealing" ? "is searching for its tasks" : `of ${counts.total} tasks started`;
    terminal.err(`svc: bulk retry ${id} ${what}; run svc bulk-retry watch to follow it later`);
    return watchBulkRetry(id, values, project, terminal);
  },
});

function requireSelection(filter: BulkRetryFilter, isAll: boolean): void {
  const isEmpty = Object.keys(filter).length === 0;
  if (isEmpty && !isAll) throw new CliError("usage", "say which tasks: a filter, or --all for every failed one");
  if (!isEmpty && isAll) throw new CliError("usage", "--all goes without filters");
  if (filter.task_ids === undefined) return;
  if (filter.engine === undefined) throw new CliError("usage", "--task needs --engine");
  if (filter.priority !== undefined) throw new CliError("usage", "--task and --priority do not go together");
  if (filter.q !== undefined) throw new CliError("usage", "--task and --query do not go together");
}

/** A rate at which the time of a request is over before its last task is sent blocks it: that is told at once. */
function tellSlowRate(
  { counts, created_at, deadline_at }: BulkRetryRequest,
  rate: number | undefined,
  terminal: Terminal,
): void {
  if (rate === undefined) return;
  const minutes = (Date.parse(deadline_at) - Date.parse(created_at)) / 60_000;
  if (counts.total <= rate * minutes) return;
  const [needed, given] = [Math.ceil(counts.total / rate), Math.floor(minutes)];
  terminal.err(
    `svc: at ${rate} in a minute they take ${needed} minutes, and it is blocked after ${given}: svc bulk-retry resume goes on then`,
  );
}

/** How many tasks match now, in words. The service counts by the same filters as its task list. */
async function countMatches(project: Project, filter: BulkRetryFilter): Promise<string> {
  const { task_ids: ids, engine, priority, state = "failure", q, ...same } = filter;
  if (ids !== undefined) return counted(new Set(ids).size, "named task");
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
  const page = await asking(project, ({ api, slug }) => api.listTasks(slug, query));
  return page.total_count == null ? "all tasks that match" : counted(page.total_count, "task");
}

/** A query beside an engine, which the task list takes as a term of it. */
function withEngine(q: string | undefined, engine: string | undefined): string | undefined {
  const terms = [q, engine === undefined ? undefined : fieldTerm("engine", engine)].filter(
    (term) => term !== undefined,
  );
  return terms.length === 0 ? undefined : terms.join(" ");
}
