import type { Task } from "@svc/client";
import { asking, openProject, projectOptions, whoAsks } from "../api/connect.ts";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { factsOf, jsonText } from "../terminal/printed.ts";

const options = {
  json: { type: "boolean", help: "one JSON document" },
  ...projectOptions,
} as const satisfies CommandOptions;

export const tasksShow: Command = {
  usage: ["tasks show ENGINE TASK_ID [--json]"],
  options,
  details: ["Arguments, results and errors read as the agent redacted them.", whoAsks],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 2 });
    const [engine, taskId] = positionals;
    if (engine === undefined || taskId === undefined) throw new CliError("usage", "name engine and task id");
    const { connection, slug } = await openProject(values, terminal);
    const named = { slug, what: `task ${taskId} of ${engine}` };
    const task = await asking(connection, () => connection.api.getTask(slug, engine, taskId), named);
    if (values.json === true) terminal.out(jsonText(task));
    else for (const line of factsOf(shown(task))) terminal.out(line);
    return exitCodes.done;
  },
};

/** Without what the service knows it by. */
const shown = ({ id: _, project_id: __, created_at: ___, updated_at: ____, ...task }: Task) => ({ ...task });
