import { randomUUID } from "node:crypto";
import { carryOut } from "../agent-commands/outcomes.ts";
import { openProject, projectOptions, whoAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { json, seconds } from "../command-line/option-values.ts";
import { readOptions } from "../command-line/options.ts";

/** Of every command that makes an agent do something with single tasks. */
export const actOptions = {
  agent: { type: "string", value: "ID", help: "by this agent (default: the one that reported the task, or that can)" },
  key: { type: "string", value: "KEY", help: "idempotency key: the same key again issues nothing new; for one task" },
  "no-wait": { type: "boolean", help: "end when the service has accepted the command" },
  json: { type: "boolean", help: "one JSON document: commands and refused" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const aboutWaiting = [
  "Waits for the outcome and ends with 1 when a command fails, times out or is cancelled; Ctrl-C ends the waiting, not the command.",
  whoAsks,
];

const retryOptions = {
  args: { type: "string", value: "JSON", help: "new positional arguments, an array; only together with --kwargs" },
  kwargs: { type: "string", value: "JSON", help: "new named arguments, an object; only together with --args" },
  in: { type: "string", value: "TIME", help: "not now but after such a time, for example 10m; a day at most" },
  ...actOptions,
} as const satisfies CommandOptions;

export const tasksRetry: Command = {
  usage: ["tasks retry ENGINE TASK_ID... [--in TIME] [--args JSON --kwargs JSON] [--no-wait] [--json]"],
  options: retryOptions,
  details: ["Tasks by filter are retried by svc bulk-retry create.", ...aboutWaiting],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, retryOptions, { positionals: Number.POSITIVE_INFINITY });
    const { engine, taskIds } = readTasks(positionals, values.key);
    if ((values.args === undefined) !== (values.kwargs === undefined)) {
      throw new CliError("usage", "--args and --kwargs go together: both replace the inputs, neither keeps them");
    }
    if (values.args !== undefined && taskIds.length > 1) throw new CliError("usage", "new inputs are for one task");
    const inputs = {
      ...(values.args !== undefined && { override_args: json("args", values.args, "array") as unknown[] }),
      ...(values.kwargs !== undefined && {
        override_kwargs: json("kwargs", values.kwargs, "object") as Record<string, unknown>,
      }),
      ...(values.in !== undefined && { eta_seconds: seconds("in", values.in, { max: 86_400 }) }),
    };
    const { connection, slug } = await openProject(values, terminal);
    const issue = (body: TaskBody) => connection.api.retryTask(slug, { ...body, ...inputs });
    return carryOut({ what: "retrying", slug, taskIds, ...issuing(engine, values, issue) }, connection, terminal);
  },
};

export const tasksCancel: Command = {
  usage: ["tasks cancel ENGINE TASK_ID... [--no-wait] [--json]"],
  options: actOptions,
  details: aboutWaiting,
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, actOptions, { positionals: Number.POSITIVE_INFINITY });
    const { engine, taskIds } = readTasks(positionals, values.key);
    const { connection, slug } = await openProject(values, terminal);
    const issue = (body: TaskBody) => connection.api.cancelTask(slug, body);
    return carryOut({ what: "cancelling", slug, taskIds, ...issuing(engine, values, issue) }, connection, terminal);
  },
};

interface TaskBody {
  readonly engine: string;
  readonly task_id: string;
  readonly agent_id?: string;
  readonly idempotency_key: string;
}

interface ActWords {
  readonly agent?: string | undefined;
  readonly key?: string | undefined;
  readonly "no-wait"?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** How `carryOut` is to issue and to report. Every command has a key, so that asking again after a cut connection does no harm. */
export function issuing<T>(engine: string, words: ActWords, issue: (body: TaskBody) => Promise<T>) {
  const keys = new Map<string, string>();
  const keyOf = (taskId: string) => {
    const key = keys.get(taskId) ?? words.key ?? randomUUID();
    keys.set(taskId, key);
    return key;
  };
  return {
    waits: words["no-wait"] !== true,
    asJson: words.json === true,
    issue: (taskId: string) =>
      issue({
        engine,
        task_id: taskId,
        ...(words.agent !== undefined && { agent_id: words.agent }),
        idempotency_key: keyOf(taskId),
      }),
  };
}

/** Engine and task ids, each id once. */
export function readTasks(positionals: readonly string[], key: string | undefined) {
  const [engine, ...given] = positionals;
  const taskIds = [...new Set(given)];
  if (engine === undefined || taskIds.length === 0)
    throw new CliError("usage", "name an engine and at least one task id");
  if (key !== undefined && taskIds.length > 1) throw new CliError("usage", "one --key is for one task");
  return { engine, taskIds };
}
