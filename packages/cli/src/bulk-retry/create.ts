import { randomUUID } from "node:crypto";
import type { BulkRetryBody, BulkRetryFilter, BulkRetryRequest } from "@svc/client";
import { counted } from "../accounts/account-rescue.ts";
import { asking, type Connection, openProject, projectOptions, sessionAsks } from "../api/connect.ts";
import { insist } from "../api/follow.ts";
import type { Command, CommandOptions, Terminal } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { filterOptions, readFilters, wholeNumber } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";
import { confirms } from "../terminal/ask.ts";
import { printBulkRetry, watchBulkRetry } from "./watch.ts";

const options = {
  ...filterOptions,
  engine: { type: "string", value: "NAME", help: "of this engine" },
  task: { type: "string", multiple: true, value: "ID", help: "this task, may be repeated; needs --engine" },
  all: { type: "boolean", help: "every failed task of the project: what no filter says" },
  max: { type: "string", value: "N", help: "refuse when more tasks match, up to 10,000 (default 1000)" },
  agent: { type: "string", value: "ID", help: "by this agent only (default: by any that can)" },
  canary: { type: "string", value: "N", help: "retry so many first and see what becomes of their tasks" },
  "canary-failures": { type: "string", value: "N", help: "so many of them may fail before the rest is held back" },
  rate: { type: "string", value: "N", help: "at most so many in a minute" },
  key: { type: "string", value: "KEY", help: "idempotency key: the same key again begins nothing new" },
  yes: { type: "boolean", help: "without asking first" },
  "no-wait": { type: "boolean", help: "end when the service has taken the request" },
  json: { type: "boolean", help: "one JSON document" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const bulkRetryCreate: Command = {
  usage: ["bulk-retry create [filters] [--max N] [--yes] [--no-wait] [--json]", "bulk-retry create --all [--max N]"],
  options,
  details: [
    "Retries every task that matches now, by default of those in state failure. The service carries it out one by one, across its own",
    "restarts; Ctrl-C ends the watching, not the retry. Ends with 1 unless every task was retried.",
    sessionAsks,
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    const { priority, ...filters } = readFilters(values);
    const filter: BulkRetryFilter = {
      ...filters,
      ...(priority !== undefined && { priority }),
      ...(values.engine !== undefined && { engine: values.engine }),
      ...(values.task !== undefined && { task_ids: values.task }),
    };
    requireSelection(filter, values.all === true);
    const number = (option: "max" | "canary" | "canary-failures" | "rate", max: number, min = 1) =>
      values[option] === undefined ? undefined : wholeNumber(option, values[option], { min, max });
    const [canary, failures] = [number("canary", 10_000), number("canary-failures", 10_000, 0)];
    if (failures !== undefined && canary === undefined) throw new CliError("usage", "--canary-failures needs --canary");
    const body: BulkRetryBody = {
      idempotency_key: values.key ?? randomUUID(),
      filter,
      ...defined("max", number("max", 10_000)),
      ...defined("agent_id", values.agent),
      ...defined("canary_size", canary),
      ...defined("canary_max_failures", failures),
      ...defined("rate_per_minute", number("rate", 1_000_000)),
    };

    const { connection, slug } = await openProject(values, terminal, { needsSession: true });
    if (values.yes !== true) {
      const count = await countMatches(connection, slug, filter);
      if (!(await confirms(`Retry ${count} in state ${filter.state ?? "failure"} of project ${slug}? [y/N] `)))
        throw new CliError("refused", `nothing was retried of ${count}; --yes retries without asking`);
    }
    const asJson = values.json === true;
    const create = () => connection.api.createBulkRetry(slug, body);
    const created = await asking(connection, () => insist(create), { slug });
    tellSlowRate(created, body.rate_per_minute, terminal);
    if (values["no-wait"] === true) {
      printBulkRetry(created, { asJson, terminal });
      return exitCodes.done;
    }
    terminal.err(
      `svc: bulk retry ${created.id} of ${created.counts.total} tasks; svc bulk-retry watch tells of it later`,
    );
    return watchBulkRetry({ slug, id: created.id, asJson }, connection, terminal);
  },
};

const defined = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };

function requireSelection(filter: BulkRetryFilter, isAll: boolean): void {
  const isEmpty = Object.keys(filter).length === 0;
  if (isEmpty && !isAll) throw new CliError("usage", "say which tasks: a filter, or --all for every failed one");
  if (!isEmpty && isAll) throw new CliError("usage", "--all goes without filters");
  if (filter.task_ids === undefined) return;
  if (filter.engine === undefined) throw new CliError("usage", "--task needs --engine");
  if (filter.priority !== undefined) throw new CliError("usage", "--task and --priority do not go together");
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
async function countMatches(connection: Connection, slug: string, filter: BulkRetryFilter): Promise<string> {
  const { task_ids: ids, engine, priority, state = "failure", ...same } = filter;
  if (ids !== undefined) return counted(new Set(ids).size, "named task");
  const query = {
    ...same,
    state,
    ...(priority !== undefined && { priority: priority.join(",") }),
    ...(engine !== undefined && { q: `engine:"${engine.replaceAll(/["\\]/g, "\\$&")}"` }),
    include_total: true,
    limit: 1,
  };
  const page = await asking(connection, () => connection.api.listTasks(slug, query), { slug });
  return page.total_count == null ? "all tasks that match" : counted(page.total_count, "task");
}
