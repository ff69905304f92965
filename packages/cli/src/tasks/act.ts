import { carryOut, readTasks, taskOptions, waitingHelp } from "../agent-commands/carry-out.ts";
import { openProject } from "../api/connect.ts";
import { defineCommand, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { json, seconds } from "../command-line/option-values.ts";

export const tasksRetry = defineCommand({
  usage: ["tasks retry ENGINE TASK_ID... [--in TIME] [--args JSON --kwargs JSON] [--no-wait] [--json]"],
  options: {
    args: text("JSON", "new positional arguments as a JSON array, requires --kwargs"),
    kwargs: text("JSON", "new keyword arguments as a JSON object, requires --args"),
    in: text("TIME", "delay, for example 10m, at most one day"),
    ...taskOptions,
  },
  details: ["To retry tasks by filter, use svc bulk-retry create.", ...waitingHelp],
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const tasks = readTasks(positionals, values.key);
    const { args, kwargs, in: delay } = values;
    if ((args === undefined) !== (kwargs === undefined)) {
      throw new CliError("usage", "--args and --kwargs require each other");
    }
    if (args !== undefined && tasks.taskIds.length > 1)
      throw new CliError("usage", "--args and --kwargs require a single task");
    const inputs = {
      ...(args !== undefined && { override_args: json("args", args, "array") as unknown[] }),
      ...(kwargs !== undefined && { override_kwargs: json("kwargs", kwargs, "object") as Record<string, unknown> }),
      ...(delay !== undefined && { eta_seconds: seconds("in", delay, { max: 86_400 }) }),
    };
    const project = await openProject(values, terminal);
    return carryOut(
      {
        what: "retrying",
        ...tasks,
        given: values,
        issue: ({ api, slug }, body) => api.retryTask(slug, { ...body, ...inputs }),
      },
      project,
      terminal,
    );
  },
});

export const tasksCancel = defineCommand({
  usage: ["tasks cancel ENGINE TASK_ID... [--no-wait] [--json]"],
  options: taskOptions,
  details: waitingHelp,
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const tasks = readTasks(positionals, values.key);
    const project = await openProject(values, terminal);
    return carryOut(
      { what: "cancelling", ...tasks, given: values, issue: ({ api, slug }, body) => api.cancelTask(slug, body) },
      project,
      terminal,
    );
  },
});
